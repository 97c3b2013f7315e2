"""Evaluators that are functions of the user's own: what they return, and by what they are known."""

import ast
import hashlib
import inspect
import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, overload

from .errors import Mistaken

Direction = Literal["maximize", "minimize"]
LONGEST_NOTE = 2_000  # characters


@dataclass(frozen=True)
class Score:
    """One score with a note: a `value` (a number, or whether it passed) or a `label`."""

    value: float | bool | None = None
    label: str | None = None
    note: str = ""


@dataclass(frozen=True, eq=False)
class Scorer:
    """A function that scores one output, with the name, direction and bounds under which the site keeps its scores."""

    function: Callable[..., Any]
    name: str
    direction: Direction = "maximize"
    minimum: float | None = None
    maximum: float | None = None
    labels: Mapping[str, float] | None = None
    threshold: float | None = None
    version: str | None = None

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Call the function as it is, for its own tests."""
        return self.function(*arguments, **named)

    def evaluator(self, client: str) -> dict[str, Any]:
        """The evaluator as the site is told of it; `client` names this package and its version."""
        about: dict[str, Any] = {"name": self.name, "direction": self.direction}
        about |= {"minimum": self.minimum, "maximum": self.maximum}
        about |= {} if self.threshold is None else {"threshold": self.threshold}
        about["labels"] = dict(self.labels) if self.labels else None
        return about | {"code": {"sha256": self.sha256, "client": client}}

    @cached_property
    def sha256(self) -> str:
        """The digest of the function's code, or of `version` where one is given."""
        if self.version is not None:
            return hashlib.sha256(f"version {self.version}".encode()).hexdigest()
        return code_digest(self.function)


@overload
def scorer(function: Callable[..., Any], /) -> Scorer: ...
@overload
def scorer(
    *,
    name: str | None = None,
    direction: Direction = "maximize",
    minimum: float | None = None,
    maximum: float | None = None,
    labels: Mapping[str, float] | Sequence[str] | None = None,
    threshold: float | None = None,
    version: str | None = None,
) -> Callable[[Callable[..., Any]], Scorer]: ...
def scorer(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    direction: Direction = "maximize",
    minimum: float | None = None,
    maximum: float | None = None,
    labels: Mapping[str, float] | Sequence[str] | None = None,
    threshold: float | None = None,
    version: str | None = None,
) -> Any:
    """Make a function a scorer. It gets the output and, by their names, parts of the example; it may be async.

    It returns a number, true or false, a label, a `Score`, or None for no score. `labels` gives each label a number;
    of a plain list the first is 1, the others 0. `version` replaces the digest of the code: give another one when
    something changes that the function only calls, such as a helper or a judge's model.
    """

    def made(wrapped: Callable[..., Any]) -> Scorer:
        numbers = labels if labels is None or isinstance(labels, Mapping) else _numbered(labels)
        return Scorer(
            wrapped, name or name_of(wrapped), direction, minimum, maximum, numbers, threshold, version
        )

    return made if function is None else made(function)


def _numbered(labels: Sequence[str]) -> dict[str, float]:
    return {label: float(number == 0) for number, label in enumerate(labels)}


def name_of(function: Callable[..., Any]) -> str:
    """The name of a function, of its class if it is an object with a `__call__`."""
    name: str = getattr(function, "__name__", "") or type(function).__name__
    return "scorer" if name == "<lambda>" else name


def as_scorer(given: Any) -> Scorer:
    """A scorer as it is, or a plain function, under its own name."""
    if isinstance(given, Scorer):
        return given
    if not callable(given):
        raise Mistaken(f"{given!r} is no scorer. Give a function, or the name of an evaluator.")
    return scorer(given)


# ---- what a scorer returned ----------------------------------------------------------------------------------


def as_row(returned: Any) -> dict[str, Any] | None:
    """What a scorer returned as a row of `scores/`; None for no score. Raises `ValueError` for anything else."""
    value, label, note = _parts(returned)
    if value is None and label is None:
        return {"note": note} if note else None
    row: dict[str, Any] = {"label": label} if label is not None else {"value": _number(value)}
    return row | ({"note": note} if note else {})


def _parts(returned: Any) -> tuple[Any, str | None, str]:
    """Value, label and note. Objects and mappings of other tools name them score, reason, comment or explanation."""
    if isinstance(returned, Score):
        return returned.value, returned.label, returned.note[:LONGEST_NOTE]
    if isinstance(returned, str):
        return None, returned, ""
    if returned is None or isinstance(returned, bool | int | float) or hasattr(returned, "__float__"):
        return returned, None, ""
    get: Callable[[str], Any] = (
        returned.get if isinstance(returned, Mapping) else lambda name: getattr(returned, name, None)
    )
    value = next((part for name in ("score", "value") if (part := get(name)) is not None), None)
    label = get("label")
    note = next(
        (str(part) for name in ("note", "comment", "reason", "explanation") if (part := get(name))), ""
    )
    if value is None and label is None and not note:
        raise ValueError(f"A scorer returned {type(returned).__name__}, which is no score.")
    if isinstance(value, str):
        value, label = None, value
    return value, None if label is None or value is not None else str(label), note[:LONGEST_NOTE]


def _number(value: Any) -> float | bool:
    if isinstance(value, bool):
        return value
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"A scorer returned {number}, which is no finite number.")
    return number


# ---- the digest of code --------------------------------------------------------------------------------------


def code_digest(function: Callable[..., Any]) -> str:
    """SHA-256 of a function's syntax tree without comments, blanks, docstring and decorators.

    What the function calls is not covered. Code without a source file counts by its bytecode.
    """
    target = inspect.unwrap(function) if inspect.isroutine(function) else function
    if not inspect.isroutine(target) and not inspect.isclass(target):
        target = type(target)
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(target)))
    except (OSError, TypeError, SyntaxError):
        code = getattr(target, "__code__", None)
        parts = (code.co_code, code.co_names, code.co_consts) if code else target
        return hashlib.sha256(repr(parts).encode()).hexdigest()
    for node in ast.walk(tree):
        _strip(node)
    return hashlib.sha256(_written(tree).encode()).hexdigest()


def _strip(node: ast.AST) -> None:
    """Remove decorators, and the docstring of a definition."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        node.decorator_list = []
        first = node.body[0]
        if (
            isinstance(first, ast.Expr)
            and isinstance(first.value, ast.Constant)
            and isinstance(first.value.value, str)
        ):
            node.body = node.body[1:] or [ast.Pass()]


def _written(node: Any) -> str:
    """A syntax tree as text, the same in every version of Python that reads it: parts without content are left out."""
    if isinstance(node, ast.AST):
        parts = (
            (name, part) for name, part in ast.iter_fields(node) if part not in (None, []) and name != "ctx"
        )
        return f"{type(node).__name__}({','.join(f'{name}={_written(part)}' for name, part in parts)})"
    if isinstance(node, list):
        return f"[{','.join(map(_written, node))}]"
    return repr(node)
