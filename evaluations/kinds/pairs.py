"""From two columns to the pairs a formula can compare, and the reasons why the other rows cannot be."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluations.kinds.config import Cut
from evaluations.metrics import texts
from evaluations.values import JSON, Column, Status, canonical_json

LONGEST = 100_000
TOO_LONG = f"too_long: A text has more than {LONGEST} characters."


@dataclass(frozen=True, eq=False)
class Pairs:
    """The rows of a batch whose two sides are there, in order.

    `rows` are their places in the batch; `left_out` gives status and message ("" where null says it all) of
    every other row. `kept` lives as long as the batch, and belongs to the two columns: what one kind puts
    there (edit distances by row) may serve the next.
    """

    rows: NDArray[np.intp]
    actual: list[Any]
    expected: list[Any]
    left_out: dict[int, tuple[Status, str]]
    truncated: int
    total: int
    kept: dict[str, Any]

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def lowered(self) -> tuple[list[str], list[str]]:
        """Both sides in lower case (`str.lower`), made once for all kinds that ask."""
        return [text.lower() for text in self.actual], [text.lower() for text in self.expected]

    def cased(self, case_sensitive: bool) -> tuple[list[str], list[str]]:
        """Actual and expected texts, as they are or in lower case."""
        return (self.actual, self.expected) if case_sensitive else self.lowered


def text_of(value: JSON) -> str | None:
    """The text a value stands for: itself, its canonical JSON, or None for null."""
    return value if isinstance(value, str) or value is None else canonical_json(value)


def pair(
    actual: Column, expected: Column, *, as_text: bool, cut: Cut | None, shared: dict[Any, Any]
) -> Pairs:
    """The pairs of two columns, as texts or as JSON values, made once per batch and way of reading.

    Where both sides are null the expected one is named. A problem of a column comes before a null in the
    other.
    """
    columns = (actual, expected)
    if as_text:
        columns = tuple(
            _once(shared, ("text", column), lambda column=column: _texts(column)) for column in columns
        )
    longest = [
        _once(shared, ("longest", column), lambda column=column: _longest(column)) for column in columns
    ]
    if cut and max(longest) * (2 if cut.utf16 else 1) <= cut.length:
        cut = None
    kept = _once(shared, ("kept", actual, expected), dict)
    too_long = cut is None and max(longest) > LONGEST
    key = ("pairs", as_text, cut, actual, expected)
    return _once(shared, key, lambda: _pair(*columns, cut, kept, too_long=too_long))


def _once(shared: dict[Any, Any], key: Any, make: Any) -> Any:
    if key not in shared:
        shared[key] = make()
    return shared[key]


def _texts(column: Column) -> Column:
    if _only_texts(column):
        return column
    return Column([text_of(value) for value in column.values], column.problems)


def _only_texts(column: Column) -> bool:
    return set(map(type, column.values)) <= {str}


def _longest(column: Column) -> int:
    texts = column.values if _only_texts(column) else [v for v in column.values if isinstance(v, str)]
    return max(map(len, texts), default=0)


def _pair(
    actual: Column, expected: Column, cut: Cut | None, kept: dict[str, Any], *, too_long: bool
) -> Pairs:
    left_out = _left_out(actual, expected, too_long=too_long)
    rows: Sequence[int] = range(len(actual))
    sides: list[list[Any]] = [list(column.values) for column in (actual, expected)]
    if left_out:
        rows = [row for row in rows if row not in left_out]
        sides = [[side[row] for row in rows] for side in sides]
    truncated = 0
    if cut:
        sides, truncated = _cut(sides, cut)
    return Pairs(np.array(rows, np.intp), sides[0], sides[1], left_out, truncated, len(actual), kept)


def _left_out(actual: Column, expected: Column, *, too_long: bool) -> dict[int, tuple[Status, str]]:
    left_out: dict[int, tuple[Status, str]] = {}
    for column, missing in ((actual, Status.MISSING_ACTUAL), (expected, Status.MISSING_EXPECTED)):
        if not too_long and None not in column.values:
            continue
        for row, value in enumerate(column.values):
            if value is None:
                left_out[row] = (missing, "")
            elif too_long and isinstance(value, str) and len(value) > LONGEST:
                left_out.setdefault(row, (Status.ERROR, TOO_LONG))
    return left_out | dict(actual.problems) | dict(expected.problems)


def _cut(sides: list[list[str]], cut: Cut) -> tuple[list[list[str]], int]:
    """The sides with long texts cut, and the number of rows in which one was."""
    shorter = [[texts.cut(text, cut.length, utf16=cut.utf16) for text in side] for side in sides]
    pairs_before, pairs_after = zip(*sides, strict=True), zip(*shorter, strict=True)
    return shorter, sum(before != after for before, after in zip(pairs_before, pairs_after, strict=True))
