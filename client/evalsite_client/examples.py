"""Examples of a dataset as tasks and scorers get them, and the arguments that a function asks for by name."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True)
class Example:
    """One example: `inputs`, `reference` and `metadata` are by column. `input` and `expected` are the only column's
    value where there is one column, else all of them."""

    position: int
    key: str | None = None
    inputs: Any = field(default_factory=dict)
    reference: Any = field(default_factory=dict)
    metadata: Any = field(default_factory=dict)

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "Example":
        return cls(row["position"], row["key"], row["inputs"], row["reference"], row["metadata"] or {})

    @property
    def input(self) -> Any:
        return only(self.inputs)

    @property
    def expected(self) -> Any:
        return only(self.reference)

    @property
    def expected_output(self) -> Any:
        return self.expected

    @property
    def outputs(self) -> Any:
        """The reference, as some tools call it."""
        return self.reference

    def __getitem__(self, part: str) -> Any:
        """A part by its name, as in `example["input"]`."""
        return getattr(self, part)

    @property
    def name(self) -> str:
        """The key, or the position of an example without one."""
        return self.key if self.key is not None else str(self.position)


def only(columns: Any) -> Any:
    """The value of a single column, else everything.

    >>> only({"question": "2 + 2"}), only({"a": 1, "b": 2}), only(None)
    ('2 + 2', {'a': 1, 'b': 2}, None)
    """
    return next(iter(columns.values())) if isinstance(columns, dict) and len(columns) == 1 else columns


def values_of(example: Example) -> dict[str, Any]:
    """What a function can ask for by the name of a parameter."""
    return {
        "example": example,
        "item": example,
        "input": example.input,
        "inputs": example.inputs,
        "expected": example.expected,
        "expected_output": example.expected,
        "reference": example.reference,
        "reference_outputs": example.reference,
        "metadata": example.metadata,
    }


def columns_of(example: Example) -> dict[str, Any]:
    """What a task can also ask for: its inputs by the names of their columns."""
    return dict(example.inputs) if isinstance(example.inputs, dict) else {}


def bound(
    function: Callable[..., Any],
    values: Mapping[str, Any],
    *first: Any,
    columns: Mapping[str, Any] = MappingProxyType({}),
) -> Callable[[], Any]:
    """A call of the function: parameters with a known name get that value, others that of the column with their name,
    and the rest take `first` in order. A function of any keywords gets the known values alone.

    >>> bound(lambda question, expected: (question, expected), {"expected": 4}, "2 + 2")()
    ('2 + 2', 4)
    """
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):  # a function of C, which does not say
        return lambda: function(*first)
    positional: list[Any] = []
    named: dict[str, Any] = {}
    remaining = list(first)
    for name, parameter in parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            named |= {known: value for known, value in values.items() if known not in parameters}
        elif parameter.kind is parameter.VAR_POSITIONAL:
            continue
        elif name in values or name in columns:
            value = values[name] if name in values else columns[name]
            if parameter.kind is parameter.POSITIONAL_ONLY:
                positional.append(value)
            else:
                named[name] = value
        elif (
            remaining
            and parameter.kind is not parameter.KEYWORD_ONLY
            and parameter.default is parameter.empty
        ):
            if named:
                named[name] = remaining.pop(0)
            else:
                positional.append(remaining.pop(0))
    return lambda: function(*positional, **named)
