"""What the better answers cost: the clear differences in cost, latency and tokens from the baseline, in words."""

import math
from collections.abc import Iterator, Sequence

from evaluations.numerals import fixed
from evaluations.statistics.terms import Difference
from evaluations.statistics.wording import Part

from .alignment.sides import Side
from .comparison import Comparison
from .measure_units import Unit, units


def told(comparison: Comparison) -> tuple[Side, str] | None:
    """The variant that the verdict puts first, of two the other one; and such as "takes 0.85 s more an answer"."""
    side = _first(comparison)
    if side is None:
        return None
    words = " and ".join(_differences(comparison, comparison.sides.every.index(side)))
    return (side, words) if words else None


def sentence(comparison: Comparison) -> list[Part]:
    """The same as a sentence; empty if no difference is clear."""
    found = told(comparison)
    if found is None:
        return []
    side, words = found
    names = (comparison.sides.label(one.run) for one in (side, comparison.sides.baseline))
    variant, baseline = (("name", name) for name in names)
    return [variant, ("", f" {words} than "), baseline, ("", ".")]


def decimals(means: Sequence[float | None]) -> int:
    """The decimals that write three significant digits of the largest mean."""
    largest = max((mean for mean in means if mean), default=1.0)
    return min(max(2 - math.floor(math.log10(largest)), 0), 12)


def _first(comparison: Comparison) -> Side | None:
    if comparison.evaluators.primary is None or not comparison.sides.others:
        return None
    if len(comparison.sides.others) == 1:
        return comparison.sides.others[0]
    ranked = [row.side for row in comparison.figures.ranking]
    return ranked[0] if ranked and ranked[0] is not comparison.sides.baseline else None


def _differences(comparison: Comparison, index: int) -> Iterator[str]:
    for name, unit in units(comparison.sides.experiment.project.currency).items():
        measure = comparison.figures.measures.measure(name)
        paired = measure.comparisons[index] if measure else None
        if measure and paired and paired.difference and paired.verdict in ("better", "worse"):
            yield _difference(unit, paired, measure.means)


def _difference(unit: Unit, paired: Difference, means: Sequence[float | None]) -> str:
    scaled = [None if mean is None else mean * unit.factor for mean in means]
    size = (paired.difference or 0.0) * unit.factor
    return unit.words.format(fixed(abs(size), decimals(scaled)), "more" if size > 0 else "less")
