"""A difference as tables write and draw it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from evaluations import numerals
from evaluations.charts import Axis, Range
from evaluations.comparisons.comparison import Comparison
from evaluations.models import Evaluator
from evaluations.statistics.terms import Difference


@dataclass(frozen=True)
class Change:
    """A difference with its interval; if the verdict is "none", `reason` says why.

    A difference of two shares (`is_share`) is written in points, which are hundredths.
    """

    difference: float | None
    low: float | None
    high: float | None
    verdict: str
    reason: str | None
    equivalence: str | None = None
    is_share: bool = False

    @classmethod
    def from_paired(cls, paired: Difference, *, is_share: bool = False) -> "Change":
        low, high = paired.shown_interval or (None, None)
        verdict = paired.verdict or "none"
        return cls(paired.difference, low, high, verdict, paired.reason, paired.equivalence, is_share)

    def times(self, factor: float) -> "Change":
        """The same difference in another unit."""
        difference, low, high = (
            None if value is None else value * factor for value in (self.difference, self.low, self.high)
        )
        return replace(self, difference=difference, low=low, high=high)

    @property
    def range(self) -> Range:
        return Range(self.low, self.difference, self.high)

    @property
    def interval(self) -> tuple[float, ...]:
        """Both bounds as numbers; empty without an interval."""
        return () if self.low is None or self.high is None else (self.low, self.high)

    @property
    def bounds(self) -> str:
        """Both bounds in words, and the unit of a difference of shares, which has one without bounds too."""
        bounds = numerals.ends(self.interval, is_share=self.is_share) if self.interval else ""
        has_unit = self.is_share and self.difference is not None
        return f"{bounds} points".lstrip() if has_unit else bounds


def common_axis(comparison: Comparison, evaluator: Evaluator, changes: Iterable[Change]) -> Axis:
    """One axis for several differences by an evaluator, with better on the right."""
    is_turned = comparison.evaluators.lower_is_better(evaluator.pk)
    return Axis.covering((change.range for change in changes), is_turned=is_turned)
