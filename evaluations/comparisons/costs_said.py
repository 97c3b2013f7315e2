"""What the better answers cost: the clear differences in cost, latency and tokens from the baseline, in words.

Of variants of which none is clearly the best, it says which one costs least: then the cost may decide.
"""

import math
from collections.abc import Iterator, Sequence

from evaluations.numerals import fixed, grouped
from evaluations.statistics.terms import Difference
from evaluations.statistics.wording import Part, joined, reach

from .alignment.sides import BASELINE, Side
from .comparison import Comparison
from .figures.family_figures import Measure
from .measure_units import Unit, units

SAME = 1e-9  # the share by which equal means may differ, because of rounding


def sentence(comparison: Comparison) -> list[Part]:
    """What the variant that the verdict puts first takes more or less than the baseline; of several level ones,
    which costs least. Empty if no difference is clear, and no cost of level ones known.
    """
    level = _level(comparison)
    cost = comparison.figures.measures.measure("cost") if level else None
    cheapest = _by_cost(comparison, level, cost) if cost else []
    if not cost or not cheapest:
        side = _first(comparison)
        return _against_baseline(comparison, side, _differences(comparison, side)) if side else []
    others = [one for one in cheapest if one is not comparison.sides.baseline]
    told = _differences(comparison, others[0], without="cost")
    return joined([_least(comparison, cheapest, cost), _against_baseline(comparison, others[0], told)])


def decimals(means: Sequence[float | None]) -> int:
    """The decimals that write three significant digits of the largest mean."""
    largest = max((mean for mean in means if mean), default=1.0)
    return min(max(2 - math.floor(math.log10(largest)), 0), 12)


def are_equal(means: Sequence[float | None]) -> bool:
    """Whether all known means are the same."""
    known = [mean for mean in means if mean is not None]
    return all(math.isclose(mean, known[0], rel_tol=SAME, abs_tol=SAME**2) for mean in known)


def _first(comparison: Comparison) -> Side | None:
    """The variant that the verdict puts first; of two the other one."""
    if comparison.evaluators.primary is None or not comparison.sides.others:
        return None
    if len(comparison.sides.others) == 1:
        return comparison.sides.others[0]
    ranked = [row.side for row in comparison.figures.ranking]
    return ranked[0] if ranked and ranked[0] is not comparison.sides.baseline else None


def _level(comparison: Comparison) -> list[Side]:
    """The variants that may be the best one; empty if a single one is.

    Where the leader is clearly better than the baseline, one that is not so is no choice beside it, however cheap.
    """
    if comparison.evaluators.primary is None:
        return []
    first = [row.side for row in comparison.figures.ranking if row.rank[0] == 1]
    better = [side for side in first if _is_better(comparison, side)]
    level = better if first and first[0] in better else first
    return level if len(level) > 1 else []


def _is_better(comparison: Comparison, side: Side) -> bool:
    """Whether a variant is clearly better than the baseline."""
    if side is comparison.sides.baseline:
        return False
    paired = comparison.figures.primary_family.against(
        BASELINE, comparison.sides.every.index(side)
    ).comparison
    return paired is not None and paired.verdict == "better"


def _by_cost(comparison: Comparison, level: Sequence[Side], cost: Measure) -> list[Side]:
    """The level variants whose costs are known, cheapest first; empty if there is no choice between them."""
    every, baseline = comparison.sides.every, comparison.sides.baseline
    means = {every.index(side): cost.means[every.index(side)] for side in level}
    known = {index: mean for index, mean in means.items() if mean is not None}
    if len(known) < 2 or are_equal([*known.values()]) or cost.means[every.index(baseline)] is None:
        return []
    return [every[index] for index in sorted(known, key=lambda index: known[index])]


def _least(comparison: Comparison, cheapest: Sequence[Side], cost: Measure) -> list[Part]:
    """Such as "Quality is undecided (−0.10 to +0.02); b costs 0.30 USD per 1 000 answers, the baseline a 1.90."."""
    sides, unit = comparison.sides, units(comparison.sides.experiment.project.currency)["cost"]

    def written(side: Side) -> str:
        return unit.written(cost.means[sides.every.index(side)])

    first, beside = cheapest[0], sides.baseline
    if first is beside or (beside in cheapest and written(first) == written(beside)):
        first, beside = beside, cheapest[-1]
    mean, other = written(first), written(beside)
    if mean == other:
        return []  # what no reader can tell apart decides nothing
    compared = cost.comparisons[sides.every.index(beside if first is sides.baseline else first)]
    opening, verb = _undecided(comparison), "costs"
    if len(sides) > 2:
        opening, verb = [("", f"Of the {grouped(len(cheapest))} variants that may be best, ")], "costs least,"
    is_clear = compared is not None and compared.verdict in ("better", "worse")
    doubt: list[Part] = [] if is_clear else [("", ", "), ("cannot_tell", "no clear difference")]
    n = f" (n = {grouped(compared.n)})" if compared else ""
    return [*opening, *_named(comparison, first), ("", f" {verb} {mean} {unit.unit}, "),
            *_named(comparison, beside), ("", f" {other}"), *doubt, ("", f"{n}.")]  # fmt: skip


def _undecided(comparison: Comparison) -> list[Part]:
    """That nothing tells the two apart, and by how much they may differ: they need not be equal."""
    paired = comparison.figures.primary_family.against(BASELINE, BASELINE + 1).comparison
    if paired is not None and paired.equivalence == "equivalent":
        return [("", "Quality is "), ("equivalent", "equivalent"), ("", "; ")]
    interval = paired.shown_interval if paired else None
    is_share = comparison.figures.evaluators.counted(comparison.figures.primary.pk) != ""
    around = f" ({reach(interval, in_points=is_share)}{' points' if is_share else ''})" if interval else ""
    return [("", "Quality is undecided"), ("number", around), ("", "; ")]


def _named(comparison: Comparison, side: Side) -> list[Part]:
    name: list[Part] = [("name", comparison.sides.label(side.run))]
    return [("", "the baseline "), *name] if side is comparison.sides.baseline else name


def _against_baseline(comparison: Comparison, side: Side, told: Iterator[tuple[str, int]]) -> list[Part]:
    """Such as "b takes 0.85 s more an answer than the baseline a (n = 24)."; nothing without a clear difference."""
    found = list(told)
    if not found:
        return []
    words, sizes = [said for said, _ in found], {n for _, n in found}
    n = f" (n = {grouped(sizes.pop())})" if len(sizes) == 1 else ""
    return [*_named(comparison, side), ("", f" {' and '.join(words)} than "),
            *_named(comparison, comparison.sides.baseline), ("", f"{n}.")]  # fmt: skip


def _differences(comparison: Comparison, side: Side, without: str = "") -> Iterator[tuple[str, int]]:
    """The clear differences in words, each with its number of examples."""
    index = comparison.sides.every.index(side)
    for name, unit in units(comparison.sides.experiment.project.currency).items():
        measure = comparison.figures.measures.measure(name) if name != without else None
        paired = measure.comparisons[index] if measure else None
        if measure and paired and paired.difference and paired.verdict in ("better", "worse"):
            yield _difference(unit, paired, measure.means), paired.n


def _difference(unit: Unit, paired: Difference, means: Sequence[float | None]) -> str:
    scaled = [None if mean is None else mean * unit.factor for mean in means]
    size = (paired.difference or 0.0) * unit.factor
    return unit.words.format(fixed(abs(size), decimals(scaled)), "more" if size > 0 else "less")
