"""Inputs and results of a comparison: frozen dataclasses, with one array slot per example."""

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evaluations.statistics.intervals import ALPHA as ALPHA
from evaluations.values import Direction

Values = NDArray[np.float64]
Mask = NDArray[np.bool_]
Interval = tuple[float, float]
Verdict = Literal["better", "worse", "cannot_tell"]
Equivalence = Literal["equivalent", "not_worse"]

FEWEST_CHANGES = math.ceil(
    1 - math.log2(ALPHA)
)  # in one direction, so that p can be small: of five it is 1/16
FEWEST_AGAINST = round(
    -math.log(ALPHA)
)  # examples against the leader: the bound for what n examples did not show
FEWEST_BOUND = 50  # examples from which a bound says something
TIE_SHARE = 0.001  # of the evaluator's range

NO_PAIRS = "No example has a score in both variants."
ONE_PAIR = "One example is not enough for a verdict."
ONE_CLUSTER = "All examples belong to one group."
ALL_TIED = "Every pair has the same score."
FEW_CHANGES = "Fewer than six pairs differ, too few for a verdict."
TOO_LARGE = "The scores are too large to subtract."
ONE_UNSEEN = "The differences are small: a single unseen example at the other end of the scale would outweigh them all."


@dataclass(frozen=True)
class Scale:
    """The scale of an evaluator, defined by its kind, never by the data: edit distances of 0 and 1 stay numbers.

    `margin` is the smallest difference that matters, if known; `tied_within` the largest one that counts as a tie, if
    somebody chose it. With `is_statistic`, values are contributions to a run statistic, and the bounds are those of the
    statistic.
    """

    direction: Direction
    binary: bool
    low: float | None = 0.0
    high: float | None = None
    margin: float | None = None
    tied_within: float | None = None
    is_statistic: bool = False

    @property
    def span(self) -> float | None:
        """The distance from the lowest to the highest score of an example; None for contributions to a statistic, which
        have no bounds."""
        if self.is_statistic:
            return None
        return None if self.low is None or self.high is None else self.high - self.low

    @property
    def tie(self) -> float:
        """The tie tolerance: differences up to this size count as ties."""
        if self.tied_within is not None:
            return self.tied_within
        return TIE_SHARE * self.span if self.span else 0.0


@dataclass(frozen=True)
class Behind:
    """The examples behind contributions to a run statistic: their own scores, by which wins and losses are counted, and
    `codes`, by which two variants have equal answers."""

    values: Values
    codes: NDArray[np.int64]


@dataclass(frozen=True)
class Column:
    """One variant's scores by one evaluator, NaN without a score.

    `imputed` marks slots whose score stands for a missing output. If values are contributions to a run statistic,
    `behind` has the scores of the examples.
    """

    values: Values
    imputed: Mask | None = None
    behind: Behind | None = None

    def at(self, rows: Mask) -> "Column":
        """The column of these rows only."""
        imputed = None if self.imputed is None else self.imputed[rows]
        behind = self.behind and Behind(self.behind.values[rows], self.behind.codes[rows])
        return Column(self.values[rows], imputed, behind)

    @cached_property
    def mean(self) -> float | None:
        """The mean over all its scores; None without scores."""
        mean = float(self.values.mean()) if self.values.size else None
        if mean is None or not math.isnan(mean):
            return mean
        scored = self.values[~np.isnan(self.values)]
        return float(scored.mean()) if scored.size else None


@dataclass(frozen=True)
class ColumnSet:
    """The columns of all variants by one evaluator; None for a variant that it did not score."""

    scale: Scale
    columns: Sequence[Column | None]


@dataclass(frozen=True)
class Difference:
    """A variant against a baseline. Differences are variant minus baseline, whatever the direction.

    Figures are of the `n` pairs. `changed` pairs differ; in `wins` the variant is better by more than
    `tie_tolerance`. `interval` and `p_corrected` allow for the whole family, and the verdict is better or
    worse where that interval excludes zero; `interval_single` and `p` are for this comparison alone.
    `critical` is the family's critical value, `smallest` the difference it detects with 80 % power, `seed` that of
    the family's draws.
    For numbers with a known range, `overturned_by` unseen worst cases would change a verdict, and `imagined_90` is the
    90 % interval of which each end allows for one such case; `thirds` are the third smallest and the third largest
    difference. With `allows_for_case` the end of `interval` towards zero allows for one too.
    Figures that cannot be computed are None, and `reason` says why.
    """

    direction: Direction
    n: int = 0
    imputed: int = 0
    mean: float | None = None
    baseline_mean: float | None = None
    difference: float | None = None
    sd: float | None = None
    effect_size: float | None = None
    changed: int = 0
    wins: int = 0
    losses: int = 0
    ties: int = 0
    tie_tolerance: float = 0.0
    interval: Interval | None = None
    interval_single: Interval | None = None
    interval_90: Interval | None = None
    p: float | None = None
    p_corrected: float | None = None
    method: str | None = None
    seed: int | None = None
    interval_method: str | None = None
    critical: float | None = None
    standard_error: float | None = None
    df: float | None = None
    smallest: float | None = None
    clusters: int | None = None
    margin: float | None = None
    verdict: Verdict | None = None
    reason: str | None = None
    overturned_by: int | None = None
    imagined_90: Interval | None = None
    thirds: Interval | None = None
    allows_for_case: bool = False

    @property
    def gain(self) -> float | None:
        """The difference, positive if the variant is better."""
        if self.difference is None or self.direction == "maximize":
            return self.difference
        return -self.difference

    @property
    def equivalence(self) -> Equivalence | None:
        """The verdict of the 90 % interval on the margin: two one-sided tests at 5 % each (Schuirmann 1987)."""
        if self.margin is None or self.verdict is None or (interval := self.ninety(self.margin)) is None:
            return None
        low, high = interval
        if -self.margin < low and high < self.margin:
            return "equivalent"
        not_worse = -self.margin < low if self.direction == "maximize" else high < self.margin
        return "not_worse" if not_worse else None

    def ninety(self, margin: float) -> Interval | None:
        """The 90 % interval to compare with a margin.

        Where fewer than three examples are worse by more than the margin, its worse end allows for one unseen case.
        """
        if self.interval_90 is None or self.imagined_90 is None or self.thirds is None:
            return self.interval_90
        (low, high), (lower, higher) = self.interval_90, self.imagined_90
        if self.direction == "maximize":
            return (min(low, lower), high) if self.thirds[0] >= -margin else (low, high)
        return (low, max(high, higher)) if self.thirds[1] <= margin else (low, high)

    @property
    def shown_interval(self) -> Interval | None:
        """The interval for people: none where few examples, of which hardly any changed, bound it almost nowhere."""
        return None if self.interval_method == "bound" and self.n < FEWEST_BOUND else self.interval

    def mirrored(self) -> "Difference":
        """The baseline against the variant: the same evidence with opposite signs."""
        return dataclasses.replace(
            self,
            mean=self.baseline_mean,
            baseline_mean=self.mean,
            difference=_negative(self.difference),
            effect_size=_negative(self.effect_size),
            wins=self.losses,
            losses=self.wins,
            interval=_mirrored(self.interval),
            interval_single=_mirrored(self.interval_single),
            interval_90=_mirrored(self.interval_90),
            imagined_90=_mirrored(self.imagined_90),
            thirds=_mirrored(self.thirds),
            verdict=OPPOSITE.get(self.verdict, self.verdict),
        )


OPPOSITE: dict[Verdict | None, Verdict] = {"better": "worse", "worse": "better"}


def without_verdict(comparison: Difference, reason: str) -> Difference:
    """The same figures without a test, which `reason` forbids."""
    return dataclasses.replace(
        comparison,
        interval=None,
        interval_single=None,
        interval_90=None,
        p=None,
        p_corrected=None,
        verdict=None,
        reason=reason,
        overturned_by=None,
        imagined_90=None,
        thirds=None,
        allows_for_case=False,
    )


def _negative(value: float | None) -> float | None:
    return None if value is None else 0.0 - value


def _mirrored(interval: Interval | None) -> Interval | None:
    return None if interval is None else (0.0 - interval[1], 0.0 - interval[0])
