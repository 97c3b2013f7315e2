"""The changes that another version of an evaluator makes to the scores of one run."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evaluations.kinds.scores import FAIL, PASS, Scores
from evaluations.models import EvaluatorVersion, Example, Run

SHOWN_FLIPS = 5
ROUNDING = 1e-12
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Flip:
    """An example whose verdict would change between pass and fail."""

    position: int
    key: str | None
    old: float
    new: float


@dataclass(frozen=True)
class RunPreview:
    """One run by both versions: means and changes over the `n` examples with a score by both.

    `name` distinguishes runs of one variant.
    `gained` examples have a score by the new version only, `lost` by the old one only. `to_fail` and `to_pass`
    hold the largest changes first, at most `SHOWN_FLIPS`; the counts are of all. `unknown` examples need a
    vector that is not stored. If there are no scores yet, `old` is None, and the new mean is over all scores.
    """

    run: Run
    name: str
    old: EvaluatorVersion | None
    n: int
    old_mean: float | None
    new_mean: float | None
    changed: int
    gained: int
    lost: int
    n_to_fail: int
    n_to_pass: int
    to_fail: list[Flip]
    to_pass: list[Flip]
    unknown: int


@dataclass(frozen=True)
class Change:
    """Scores of the same rows by two versions. Rows without `has_vector` cannot be scored yet."""

    old: Scores
    new: Scores
    has_vector: Mask
    positions: NDArray[np.int64]

    @cached_property
    def has_old(self) -> Mask:
        return np.isfinite(self.old.values)

    @cached_property
    def has_new(self) -> Mask:
        return np.isfinite(self.new.values)

    @cached_property
    def both(self) -> Mask:
        return self.has_old & self.has_new

    @cached_property
    def size(self) -> NDArray[np.float64]:
        """The size of each score's change; 0 if a version has no score."""
        old, new = (np.where(self.both, scores.values, 0) for scores in (self.old, self.new))
        return np.asarray(np.abs(new - old))

    def moved(self) -> Mask:
        """The rows whose score changes by more than rounding."""
        old = np.where(self.both, self.old.values, 0)
        return np.asarray(self.size > ROUNDING * np.maximum(1, np.abs(old)))

    def flips(self, old: int, new: int) -> Mask:
        """The rows whose verdict changes from `old` to `new`."""
        return np.asarray(self.both & (self.old.passed == old) & (self.new.passed == new))

    def largest(self, run: Run, flips: Mask) -> list[Flip]:
        rows = np.flatnonzero(flips)
        rows = rows[np.argsort(-self.size[rows], kind="stable")][:SHOWN_FLIPS]
        keys = _keys(run, self.positions[rows])
        return [
            Flip(position, keys.get(position), float(self.old.values[row]), float(self.new.values[row]))
            for row, position in zip(rows.tolist(), self.positions[rows].tolist(), strict=True)
        ]


def run_preview(run: Run, name: str, version: EvaluatorVersion | None, change: Change) -> RunPreview:
    to_fail, to_pass = change.flips(PASS, FAIL), change.flips(FAIL, PASS)
    return RunPreview(
        run=run,
        name=name,
        old=version,
        n=_count(change.both),
        old_mean=_mean(change.old.values[change.both]),
        new_mean=_mean(change.new.values[change.both if version else change.has_new]),
        changed=_count(change.moved()),
        gained=_count(change.has_new & ~change.has_old),
        lost=_count(change.has_old & ~change.has_new & change.has_vector),
        n_to_fail=_count(to_fail),
        n_to_pass=_count(to_pass),
        to_fail=change.largest(run, to_fail),
        to_pass=change.largest(run, to_pass),
        unknown=_count(~change.has_vector),
    )


def _count(mask: Mask) -> int:
    return int(np.count_nonzero(mask))


def _keys(run: Run, positions: NDArray[np.int64]) -> dict[int, str | None]:
    if not len(positions):
        return {}
    examples = Example.objects.filter(dataset=run.experiment.dataset_id, position__in=positions.tolist())
    return dict(examples.values_list("position", "key"))


def _mean(values: NDArray[np.float64]) -> float | None:
    return float(values.mean()) if values.size else None
