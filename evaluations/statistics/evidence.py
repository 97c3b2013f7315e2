"""Interval, p and verdict of one column, from its figures and the law of its family.

The three always agree: the interval excludes zero exactly if p is at most 0.05, because both compare R with the same
critical value.
"""

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Any

import scipy

from evaluations.statistics import fragility, power, tango
from evaluations.statistics.figures import Figures
from evaluations.statistics.fragility import Sums
from evaluations.statistics.law.coins import Coins
from evaluations.statistics.law.terms import Law, Reach, student
from evaluations.statistics.terms import (
    ALL_TIED,
    ALPHA,
    FEW_CHANGES,
    FEWEST_CHANGES,
    NO_PAIRS,
    ONE_CLUSTER,
    ONE_PAIR,
    ONE_UNSEEN,
    TOO_LARGE,
    Difference,
    Interval,
    Scale,
    Verdict,
)

# plausible numbers of changes if 0, 1, … were observed: Poisson's one-sided upper limits
PLAUSIBLE = tuple(
    round(float(scipy.special.gammaincinv(seen + 1, 1 - ALPHA)), 2) for seen in range(FEWEST_CHANGES)
)
NORMAL = NormalDist().inv_cdf(1 - ALPHA / 2)


@dataclass(frozen=True)
class Family:
    """The laws of a family: over examples and, if there are clusters, over clusters."""

    by_example: Law | None
    by_cluster: Law | None = None


@dataclass(frozen=True)
class Evidence:
    """The evidence about a column by one law; `reach` are its joint critical values.

    `unseen_p` is the corrected p without an imaginary worst case, `imagined` the 90 % interval with one against each
    end; `overturned_by` worst cases bring the statistic to its critical value. `allows_for_case` if one made the
    interval wider.
    """

    p: float
    p_corrected: float
    interval: Interval
    single: Interval
    ninety: Interval
    reach: Reach
    standard_error: float
    df: float
    unseen_p: float = 1.0
    imagined: Interval | None = None
    overturned_by: int | None = None
    allows_for_case: bool = False


def compare(figures: Figures, scale: Scale, family: Family, column: int | None) -> Difference:
    """The comparison of a column; `column` is its index in the family, None if too few pairs differ."""
    if column is None or (law := _law_of(figures, family)) is None:
        return _without_law(figures, scale)
    evidence, method = _by_example(figures, scale, law, column), law.method
    if family.by_cluster and figures.clustered:
        evidence = _wider(evidence, _by_cluster(figures, scale, family.by_cluster, column))
        method += "_clustered"
    thirds = fragility.thirds(figures) if evidence.imagined else None
    described = _described(figures, scale) | {"method": method, "seed": law.seed, "thirds": thirds}
    return _decided(described, evidence, scale)


def judge(figures: Figures, scale: Scale, family: Family, column: int | None) -> Difference:
    """Like `compare`, but only the verdict and its p, without intervals, which take most of the time."""
    if column is None or (law := _law_of(figures, family)) is None:
        return _without_law(figures, scale)
    p = _corrected_p(_units(figures, scale), law, column)
    if family.by_cluster and figures.clustered:
        p = max(p, family.by_cluster.p(column, _cluster_units(figures, scale).statistic))
    verdict = _verdict(scale, figures.difference or 0.0, p)
    return Difference(**_described(figures, scale), p_corrected=p, verdict=verdict)


def _law_of(figures: Figures, family: Family) -> Law | None:
    """The law over examples; None if it says nothing about these figures."""
    is_one_cluster = figures.clustered is not None and figures.clustered.count < 2
    return None if figures.n == 0 or figures.too_large or is_one_cluster else family.by_example


def _without_law(figures: Figures, scale: Scale) -> Difference:
    if figures.n == 0:
        return Difference(**_counted(figures, scale), reason=NO_PAIRS)
    if figures.too_large:
        return Difference(**_counted(figures, scale), reason=TOO_LARGE)
    described = Difference(**_described(figures, scale))
    if figures.changed >= FEWEST_CHANGES and figures.clustered and figures.clustered.count < 2:
        return dataclasses.replace(
            described, p=1.0, p_corrected=1.0, verdict="cannot_tell", reason=ONE_CLUSTER
        )
    return _undecided(described, figures, scale)


def _counted(figures: Figures, scale: Scale) -> dict[str, Any]:
    """The fields of a comparison that are counts."""
    up = scale.direction == "maximize"
    return {
        "direction": scale.direction,
        "n": figures.n,
        "imputed": figures.imputed,
        "changed": figures.changed,
        "wins": figures.above if up else figures.below,
        "losses": figures.below if up else figures.above,
        "ties": figures.n - figures.above - figures.below,
        "tie_tolerance": scale.tie,
        "margin": scale.margin,
        "clusters": figures.clustered.count if figures.clustered else None,
    }


def _described(figures: Figures, scale: Scale) -> dict[str, Any]:
    """The fields of a comparison that need no law."""
    several, sd = figures.n > 1, figures.sd
    return _counted(figures, scale) | {
        "mean": figures.mean,
        "baseline_mean": figures.baseline_mean,
        "difference": figures.difference,
        "sd": sd if several else None,
        "effect_size": figures.difference / sd if sd and figures.difference is not None else None,
    }


def _decided(described: dict[str, Any], evidence: Evidence, scale: Scale) -> Difference:
    difference = described["difference"] or 0.0
    critical = evidence.reach[0] if difference > 0 else evidence.reach[1]
    verdict = _verdict(scale, difference, evidence.p_corrected)
    is_open = verdict == "cannot_tell"
    finite = critical if math.isfinite(critical) else None
    return Difference(
        **described,
        interval=evidence.interval,
        interval_single=evidence.single,
        interval_90=evidence.ninety,
        p=evidence.p,
        p_corrected=evidence.p_corrected,
        interval_method="tango" if scale.binary else "studentised",
        critical=finite,
        standard_error=evidence.standard_error,
        df=evidence.df,
        verdict=verdict,
        imagined_90=evidence.imagined,
        overturned_by=None if is_open else evidence.overturned_by,
        allows_for_case=evidence.allows_for_case,
        smallest=_smallest(described, evidence, finite, scale),
        reason=ONE_UNSEEN if is_open and evidence.unseen_p <= ALPHA and difference else None,
    )


def _smallest(
    described: dict[str, Any], evidence: Evidence, critical: float | None, scale: Scale
) -> float | None:
    """The smallest difference that the comparison detects."""
    if critical is None or not evidence.standard_error:
        return None
    if scale.binary and described["clusters"] is None:
        return power.smallest_rate(critical, described["n"], described["changed"] / described["n"])
    return power.smallest(critical, evidence.standard_error, evidence.df)


def _verdict(scale: Scale, difference: float, p: float) -> Verdict:
    if p > ALPHA or difference == 0:
        return "cannot_tell"
    return "better" if (difference > 0) == (scale.direction == "maximize") else "worse"


def _by_example(figures: Figures, scale: Scale, law: Law, column: int) -> Evidence:
    units, standard_error = _units(figures, scale), figures.sd / math.sqrt(figures.n)
    if scale.binary:
        return _pass_and_fail(units, law, column, standard_error)
    return _by_law(units, law, column, standard_error, figures.n - 1)


def _units(figures: Figures, scale: Scale) -> "_Units":
    """The column with examples as units."""
    sums = Sums(abs(figures.difference or 0.0) * figures.n, figures.squares, scale.span or 0.0)

    def interval(shown: Figures, reach: Reach) -> Interval:
        return around(shown, reach, shown.sd / math.sqrt(shown.n), shown.n)

    return _Units(figures, scale, sums, interval)


def _corrected_p(units: "_Units", law: Law, column: int) -> float:
    if not units.scale.binary:
        return law.p(column, units.statistic)
    r = units.sums.statistic(0)
    p = Coins(units.figures.changed).p(r)
    return p if law.columns == 1 else max(p, law.p(column, r))


def _pass_and_fail(units: "_Units", law: Law, column: int, standard_error: float) -> Evidence:
    """The evidence about a pass/fail column: exact by itself; the family's critical value is never smaller."""
    figures, n = units.figures, units.figures.n
    coins = Coins(figures.changed)

    def interval(critical: float) -> Interval:
        return tango.interval(figures.rises, figures.falls, n, critical)

    def joint(level: float) -> float:
        alone = coins.critical(level)
        return alone if law.columns == 1 else max(alone, law.reach(column, level)[0])

    return Evidence(
        p=coins.p(units.sums.statistic(0)),
        p_corrected=_corrected_p(units, law, column),
        interval=interval(joint(ALPHA)),
        single=interval(coins.critical(ALPHA)),
        ninety=interval(joint(2 * ALPHA)),
        reach=(joint(ALPHA), joint(ALPHA)),
        standard_error=standard_error,
        df=n - 1,
    )


def _by_cluster(figures: Figures, scale: Scale, law: Law, column: int) -> Evidence:
    """The evidence with clusters as units."""
    assert figures.clustered is not None
    df = max(figures.clustered.effective - 1, 1.0)
    units = _cluster_units(figures, scale)
    return _by_law(units, law, column, figures.clustered.standard_error(), df)


def _cluster_units(figures: Figures, scale: Scale) -> "_Units":
    assert figures.clustered is not None
    sums = Sums(*figures.clustered.total_and_squares, scale.span or 0.0)
    return _Units(figures, scale, sums, around_clusters)


@dataclass(frozen=True)
class _Units:
    """A column with its units, and the interval of its figures for given critical values."""

    figures: Figures
    scale: Scale
    sums: Sums
    interval: Callable[[Figures, Reach], Interval]

    @property
    def has_case(self) -> bool:
        """Whether an imaginary worst case is part of the evidence."""
        return fragility.applies(self.scale) and fragility.has_few_against(self.figures)

    @property
    def statistic(self) -> float:
        return self.sums.statistic(1 if self.has_case else 0)

    def around(self, reach: Reach) -> Interval:
        """The interval; its near end allows for an imaginary worst case, if that is part of the evidence."""
        low, high = self.interval(self.figures, reach)
        if not self.has_case:
            return low, high
        lower, higher = self.imagined(reach)
        return (min(low, lower), high) if (self.figures.difference or 0.0) > 0 else (low, max(high, higher))

    def imagined(self, reach: Reach) -> Interval:
        """The interval of which each end allows for one worst case."""
        against, upwards = self._with_cases
        return self.interval(against, reach)[0], self.interval(upwards, reach)[1]

    @cached_property
    def _with_cases(self) -> tuple[Figures, Figures]:
        """The figures with one worst case at either end; every interval of the column takes the same."""
        return (
            fragility.with_case(self.figures, -self.sums.loss),
            fragility.with_case(self.figures, self.sums.loss),
        )


def _by_law(units: _Units, law: Law, column: int, standard_error: float, df: float) -> Evidence:
    """The evidence by the draws of a law."""
    reach, ninety, r = law.reach(column, ALPHA), law.reach(column, 2 * ALPHA), units.statistic
    p_corrected, applies = law.p(column, r), fragility.applies(units.scale)
    near, interval = reach[0] if (units.figures.difference or 0.0) > 0 else reach[1], units.around(reach)
    return Evidence(
        p=law.p(column, r, alone=True),
        p_corrected=p_corrected,
        interval=interval,
        single=units.around(law.reach(column, ALPHA, alone=True)),
        ninety=units.around(ninety),
        reach=reach,
        standard_error=standard_error,
        df=df,
        unseen_p=law.p(column, units.sums.statistic(0)) if units.has_case else p_corrected,
        imagined=units.imagined(ninety) if applies else None,
        overturned_by=units.sums.overturned_by(near) if applies and p_corrected <= ALPHA else None,
        allows_for_case=units.has_case and interval != units.interval(units.figures, reach),
    )


def _wider(first: Evidence, second: Evidence) -> Evidence:
    """The evidence that is true by both: the hull of the intervals, and the larger p."""
    return Evidence(
        p=max(first.p, second.p),
        p_corrected=max(first.p_corrected, second.p_corrected),
        interval=_hull(first.interval, second.interval),
        single=_hull(first.single, second.single),
        ninety=_hull(first.ninety, second.ninety),
        reach=second.reach,
        standard_error=max(first.standard_error, second.standard_error),
        df=min(first.df, second.df),
        unseen_p=max(first.unseen_p, second.unseen_p),
        imagined=_hull(first.imagined, second.imagined) if first.imagined and second.imagined else None,
        overturned_by=min(
            (k for k in (first.overturned_by, second.overturned_by) if k is not None), default=None
        ),
        allows_for_case=first.allows_for_case and second.allows_for_case,
    )


def _hull(first: Interval, second: Interval) -> Interval:
    return min(first[0], second[0]), max(first[1], second[1])


def around(figures: Figures, reach: Reach, standard_error: float, units: float) -> Interval:
    """The interval of a mean, with some width even if all units are equal, because further units may differ.

    It is cut at the largest possible difference.
    """
    difference = figures.difference or 0.0
    below, above = (
        max(_times(student(q, units), standard_error), abs(difference) * q * q / units) for q in reach
    )
    return _within_span(figures, (difference - below, difference + above))


def around_clusters(figures: Figures, reach: Reach) -> Interval:
    """The means that are compatible with the clusters, whatever their sizes."""
    assert figures.clustered is not None
    difference, clustered = figures.difference or 0.0, figures.clustered
    low, high = clustered.ends(*reach)
    below, above = (abs(difference) * q * q / clustered.count for q in reach)
    return _within_span(figures, (min(low, difference - below), max(high, difference + above)))


def _within_span(figures: Figures, interval: Interval) -> Interval:
    """The interval cut to the possible differences."""
    return max(interval[0], min(-figures.span, 0.0)), min(interval[1], max(figures.span, 0.0))


def _times(t: float, standard_error: float) -> float:
    return t if math.isinf(t) else t * standard_error


def _undecided(comparison: Difference, figures: Figures, scale: Scale) -> Difference:
    """A comparison with fewer than six changes: no evidence, an interval from plausible numbers of further changes."""
    if figures.n == 1:
        return dataclasses.replace(comparison, p=1.0, p_corrected=1.0, verdict="cannot_tell", reason=ONE_PAIR)
    bound = _bound(figures, scale)
    return dataclasses.replace(
        comparison,
        p=1.0,
        p_corrected=1.0,
        verdict="cannot_tell",
        interval=bound,
        interval_single=bound,
        interval_90=bound,
        interval_method="bound" if bound else None,
        standard_error=figures.sd / math.sqrt(figures.n),
        reason=FEW_CHANGES if figures.changed else ALL_TIED,
    )


def plausible(n: int, span: float, changed: int = 0) -> float:
    """How far the true difference may plausibly be from zero although so few of `n` pairs `changed`."""
    return min(PLAUSIBLE[changed] / n, 1.0) * span


def _bound(figures: Figures, scale: Scale) -> Interval | None:
    n, difference = figures.n, figures.difference or 0.0
    if not figures.span:
        return None
    unseen = plausible(n, figures.span, figures.changed)
    reach = float(scipy.special.stdtrit(n - 1, 1 - ALPHA / 2)) * figures.sd / math.sqrt(n)
    if scale.binary and figures.changed:
        tango_low, tango_high = tango.interval(figures.rises, figures.falls, n, NORMAL)
        reach = max(difference - tango_low, tango_high - difference)
    low, high = min(difference - reach, -unseen, 0.0), max(difference + reach, unseen, 0.0)
    return max(low, -figures.span), min(high, figures.span)
