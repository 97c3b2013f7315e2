"""Pairs the columns of actual and expected values, with the reason for every row that is left out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import ne, or_
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from evaluations.kinds.config import Cut
from evaluations.metrics import texts
from evaluations.numerals import grouped
from evaluations.values import JSON, Column, Status, length_of, text_of

Value = TypeVar("Value")

LONGEST = 100_000
TOO_LONG = f"too_long: A text has more than {grouped(LONGEST)} characters."


@dataclass(frozen=True, eq=False)
class Pairs:
    """The rows of a batch that have both sides, in order.

    `rows` are their indices in the batch; `left_out` gives status and message ("" if a null is the reason) of every
    other row. No text has more than `bound` characters. `cache` is a cache for these two columns that lives as long
    as the batch: one kind's edit distances may serve the next.
    """

    rows: NDArray[np.intp]
    actual: Sequence[Any]
    expected: Sequence[Any]
    left_out: dict[int, tuple[Status, str]]
    truncated: int
    total: int
    bound: int
    cache: dict[str, Any]

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def lowered(self) -> tuple[list[str], list[str]]:
        """Both sides in lower case (`str.lower`), computed once for all kinds."""
        return list(map(str.lower, self.actual)), list(map(str.lower, self.expected))

    def cased(self, case_sensitive: bool) -> tuple[Sequence[str], Sequence[str]]:
        """Actual and expected texts, in lower case unless `case_sensitive`."""
        return (self.actual, self.expected) if case_sensitive else self.lowered


def pair(
    actual: Column, expected: Column, *, as_text: bool, cut: Cut | None, shared: dict[Any, Any]
) -> Pairs:
    """The pairs of two columns, as texts or as JSON values; cached per batch and way of reading.

    If both sides are null, the status names the expected one. A problem in one column outranks a null in the other.
    """
    if as_text:
        actual, expected = _texts(actual, shared), _texts(expected, shared)
    too_long = cut is None and not (actual.fits(LONGEST) and expected.fits(LONGEST))
    if cut and actual.fits(cut.surely) and expected.fits(cut.surely):
        cut = None
    cache: dict[str, Any] = _cached(shared, ("kept", actual, expected), dict)
    key = ("pairs", cut, actual, expected)
    return _cached(shared, key, lambda: _pair(actual, expected, cut, cache, too_long=too_long))


def _cached(shared: dict[Any, Any], key: Any, make: Callable[[], Value]) -> Value:
    if key not in shared:
        shared[key] = make()
    return cast(Value, shared[key])


def _texts(column: Column, shared: dict[Any, Any]) -> Column:
    if column.is_text:
        return column
    return _cached(shared, ("text", column), lambda: Column(list(map(_text, column.values)), column.problems))


def _text(value: JSON | tuple[str, ...]) -> Any:
    """A value as text; several texts remain several."""
    return value if isinstance(value, tuple) else text_of(value)


def _pair(
    actual: Column, expected: Column, cut: Cut | None, cache: dict[str, Any], *, too_long: bool
) -> Pairs:
    left_out = _left_out(actual, expected, too_long=too_long)
    rows = np.arange(len(actual))
    sides: Sequence[Sequence[Any]] = (actual.values, expected.values)
    if left_out:
        rows = np.delete(rows, list(left_out))
        sides = [[side[row] for row in rows.tolist()] for side in sides]
    truncated = 0
    if cut:
        sides, truncated = _cut(sides, cut)
    bound = max(actual.bound, expected.bound)
    return Pairs(rows, sides[0], sides[1], left_out, truncated, len(actual), bound, cache)


def _left_out(actual: Column, expected: Column, *, too_long: bool) -> dict[int, tuple[Status, str]]:
    left_out: dict[int, tuple[Status, str]] = {}
    for column, missing in ((actual, Status.MISSING_ACTUAL), (expected, Status.MISSING_EXPECTED)):
        if column.is_text and not too_long:
            continue
        for row, value in enumerate(column.values):
            if value is None:
                left_out[row] = (missing, "")
            elif too_long and length_of(value) > LONGEST:
                left_out.setdefault(row, (Status.ERROR, TOO_LONG))
    return left_out | dict(actual.problems) | dict(expected.problems)


def _cut(sides: Sequence[Sequence[str]], cut: Cut) -> tuple[list[list[str]], int]:
    """The sides with long texts cut, and the number of rows in which a text was cut."""
    shorter = [[texts.cut(text, cut.length, utf16=cut.utf16) for text in side] for side in sides]
    changed = [map(ne, *side) for side in zip(sides, shorter, strict=True)]
    return shorter, sum(map(or_, *changed))
