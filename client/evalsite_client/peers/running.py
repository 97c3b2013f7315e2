"""What all entry points do: rows become a dataset, and a function runs over it."""

import functools
import hashlib
import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..client import Client
from ..examples import Example, bound, values_of
from ..plan import Evaluation
from ..scorers import Scorer, as_scorer
from ..targets import dataset_with


def rows_of(data: Any, reference: str) -> list[dict[str, Any]]:
    """Rows with `input`, a reference under this name, and metadata, as rows of a dataset, each known by its content.

    A value that is no object becomes the only column of its part.
    """
    items = data() if callable(data) else data
    return [_row(item, reference) for item in items]


def _row(item: Any, reference: str) -> dict[str, Any]:
    get: Callable[[str], Any] = (
        item.get if isinstance(item, Mapping) else lambda name: getattr(item, name, None)
    )
    parts = {"inputs": _columns(get("input"), "input"), "reference": _columns(get(reference), "expected")}
    parts["metadata"] = dict(get("metadata") or {})
    return {"key": str(get("id") or key_of(parts)), **parts}


def _columns(value: Any, name: str) -> dict[str, Any]:
    if value is None:
        return {}
    return dict(value) if isinstance(value, Mapping) else {name: value}


def key_of(parts: Mapping[str, Any]) -> str:
    """A key for an example without one: the digest of its input and reference."""
    content = json.dumps([parts["inputs"], parts["reference"]], sort_keys=True, default=str)
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def scorers_of(given: Iterable[Any]) -> list[Scorer]:
    """Functions and classes as scorers; a class is made an object first."""
    return [as_scorer(part() if inspect.isclass(part) else part) for part in given]


def evaluated(
    name: str,
    rows: list[dict[str, Any]] | None,
    task: Callable[..., Any],
    scorers: Iterable[Any],
    variant: str,
    **options: Any,
) -> Evaluation:
    """Run the task over the dataset with this name, which first gets these rows, if any are given."""
    with Client() as site:
        dataset: int | str = name if rows is None else dataset_with(site, name, _distinct(rows))
        chosen = {option: value for option, value in options.items() if value is not None}
        return site.evaluate(dataset, task, scorers_of(scorers), variant=variant, **chosen)


def by_column(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with `input` and `expected` by column, also where there is only one column."""

    @functools.wraps(function)
    def called(example: Example, output: Any = None) -> Any:
        values = values_of(example) | {
            "input": example.inputs,
            "expected": example.reference,
            "output": output,
        }
        return bound(function, values, example.inputs if output is None else output)()

    return _asking(called, "example", "output")


def by_inputs(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with the inputs by column as its only argument, whatever that is called."""

    @functools.wraps(function)
    def called(inputs: Any = None) -> Any:
        return function(inputs)

    return _asking(called, "inputs")


def _asking(function: Callable[..., Any], *names: str) -> Callable[..., Any]:
    """The function as one that asks for these parameters; `wraps` gives it those of the wrapped function."""
    parameters = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in names]
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return function


def _distinct(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return list({row["key"]: row for row in rows}.values())
