"""The scores of a batch."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluations.values import Status

__all__ = ["FAIL", "NO_VERDICT", "PASS", "Scores", "Status", "optional"]

PASS, FAIL, NO_VERDICT = 1, 0, -1


def optional(value: float, passed: int) -> tuple[float | None, bool | None]:
    """A stored value and verdict as users read them: NaN and NO_VERDICT are None.

    >>> optional(0.5, PASS), optional(float("nan"), NO_VERDICT)
    ((0.5, True), (None, None))
    """
    return None if isnan(value) else value, None if passed == NO_VERDICT else passed == PASS


@dataclass(eq=False)
class Scores:
    """One slot per row. A row without a score is NaN with a status that says why; infinity is refused.

    `values` float64, `passed` int8 (1 pass, 0 fail, -1 no verdict), `status` uint8 (`Status`), `messages` by
    row for the rows unmapped or in error ("too_long: …": a stable code, a colon, a sentence), `truncated` the
    number of rows in which a text was cut. `counts` are what a corpus score is made of, a line per row, −1 where
    there are none.
    """

    values: NDArray[np.float64]
    passed: NDArray[np.int8]
    status: NDArray[np.uint8]
    messages: dict[int, str] = field(default_factory=dict)
    truncated: int = 0
    counts: NDArray[np.int32] | None = None

    def __post_init__(self) -> None:
        if not len(self.values) == len(self.passed) == len(self.status):
            raise ValueError("values, passed and status must have one slot per row each")
        if np.isfinite(self.values).all():
            return
        if np.isinf(self.values).any():
            raise ValueError("a score may not be infinite")
        if np.isnan(self.values[self.status == Status.SCORED]).any():
            raise ValueError("a scored row must have a value")

    def __len__(self) -> int:
        return len(self.values)

    @classmethod
    def empty(cls, n: int, status: Status = Status.ABSENT) -> "Scores":
        """`n` rows without scores."""
        return cls(np.full(n, np.nan), np.full(n, NO_VERDICT, np.int8), np.full(n, status, np.uint8))

    @classmethod
    def scored(
        cls,
        values: ArrayLike,
        passed: NDArray[np.bool_] | None = None,
        errors: Mapping[int, str] | None = None,
        missing: Mapping[int, Status] | None = None,
        counts: NDArray[np.int32] | None = None,
    ) -> "Scores":
        """Scores of judged rows; `passed` is None if there is no verdict. Rows in `errors` or `missing` get none."""
        numbers = np.array(values, dtype=np.float64)
        verdicts = np.full(len(numbers), NO_VERDICT, np.int8) if passed is None else passed.astype(np.int8)
        status = np.zeros(len(numbers), np.uint8)
        unscored = dict.fromkeys(errors or (), Status.ERROR) | dict(missing or {})
        if unscored:
            rows = list(unscored)
            numbers[rows], verdicts[rows], status[rows] = np.nan, NO_VERDICT, list(unscored.values())
        return cls(numbers, verdicts, status, dict(errors or {}), counts=counts)

    def take(self, rows: Sequence[int] | NDArray[np.intp]) -> "Scores":
        """The scores of some rows, in this order; without `truncated`, which is not known by row."""
        index = np.asarray(rows, dtype=np.intp)
        messages = {new: self.messages[old] for new, old in enumerate(index.tolist()) if old in self.messages}
        counts = None if self.counts is None else self.counts[index]
        return Scores(self.values[index], self.passed[index], self.status[index], messages, counts=counts)

    def put(self, rows: Sequence[int] | NDArray[np.intp], part: "Scores") -> None:
        """Insert the scores of a group of rows, with its counts, and add its truncations."""
        index = np.asarray(rows, dtype=np.intp)
        self.values[index], self.passed[index], self.status[index] = part.values, part.passed, part.status
        self.messages.update((int(index[row]), message) for row, message in part.messages.items())
        self.truncated += part.truncated
        if part.counts is not None:
            if self.counts is None:
                self.counts = np.full((len(self), part.counts.shape[1]), -1, np.int32)
            self.counts[index] = part.counts
