"""People's labels as the primary evaluator of a comparison, helped by an evaluator that is checked against them.

Only an evaluator whose sealed labels are open for the version that scored these runs helps; of several the one that was
opened first, so that nobody chooses it by the result. Its verdicts never count by themselves: they make strata.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import numpy as np

from evaluations.kinds.people import people
from evaluations.labelling import sets
from evaluations.models import Evaluator, EvaluatorVersion, Opening
from evaluations.statistics.intervals import ALPHA, Z
from evaluations.statistics.people import scales, strata
from evaluations.statistics.people.strata import Helped, Sample
from evaluations.statistics.terms import Difference, Interval, Values, Verdict

from ..alignment.alignment import Aligner
from ..alignment.sides import Sides
from .evaluators import Evaluators
from .family_figures import Pair, PrimaryFamily
from .label_columns import LabelColumns

FEWEST = 30  # labelled examples of pass and fail, below which counts speak for themselves
LEVELS = (1 - ALPHA, 1 - 2 * ALPHA)


@dataclass(frozen=True)
class HelpedPair:
    """A side against a baseline, by index, with both means in the strata of the difference.

    Of the labelled examples, `above` have the higher label on the side, `below` on the baseline.
    """

    baseline: int
    side: int
    helped: Helped
    means: tuple[float, float]
    p: float
    ninety: Interval
    joint: Interval
    p_joint: float
    above: int
    below: int


@dataclass(frozen=True)
class People:
    """The helped differences of all pairs; `helper` is the version whose verdicts made the strata.

    It is None where the strata are the parts of a weighed sample; then `means` are those of all sides.
    """

    helper: EvaluatorVersion | None
    pairs: list[HelpedPair]
    means: list[float | None] | None = None

    @property
    def helper_name(self) -> str:
        return self.helper.evaluator.name if self.helper else ""

    def of(self, baseline: int, side: int) -> HelpedPair | None:
        return next((pair for pair in self.pairs if {pair.baseline, pair.side} == {baseline, side}), None)


def helper_of(evaluators: Evaluators, label_set: Evaluator) -> EvaluatorVersion | None:
    """The version that helps the labels in this comparison; None without one that is checked against them."""
    others = [evaluator for evaluator in evaluators if evaluator != label_set]
    versions = [evaluators.scoring(other.pk).evaluator_version_id for other in others]
    complete = [
        pk for other, pk in zip(others, versions, strict=True) if _scored_all(evaluators.sides, other)
    ]
    opened = Opening.objects.filter(version__in=complete, label_set=label_set).order_by("pk")
    first = opened.select_related("version__evaluator").first()
    return first.version if first else None


def _scored_all(sides: Sides, evaluator: Evaluator) -> bool:
    return all(len(side.versions(evaluator.pk) - {None}) == 1 for side in sides)


def of(
    evaluators: Evaluators,
    aligner: Aligner,
    primary: Evaluator,
    widening_of: Callable[[], float],
    helper: EvaluatorVersion | None = None,
    *,
    is_helped: bool = True,
) -> People | None:
    """The helped estimates; None if the primary evaluator has no numbers from people, or nothing helps.

    Without a `helper`, the one that was opened first helps, unless `is_helped` is false. Nothing helps a sample that is
    weighed by its parts, which are its strata.
    """
    version = evaluators.scoring(primary.pk).evaluator_version
    if version.kind != people.key:
        return None
    config = sets.config_of(version)
    if not config.has_means or any(side.is_averaged for side in evaluators.sides):
        return None
    is_weighted = config.purpose == "weighted"
    if not is_weighted and is_helped:
        helper = helper or helper_of(evaluators, primary)
    if helper is None and not is_weighted:
        return None
    columns = LabelColumns.read(evaluators.scales, aligner, version, helper)
    indices = [*combinations(range(len(evaluators.sides)), 2)]
    widening = widening_of()  # from all pairs of the primary family, which nothing else here needs
    pairs = [_pair(columns, i, j, widening, len(indices)) for i, j in indices]
    found = [pair for pair in pairs if pair is not None]
    means = [_mean_of(columns, i) for i in range(len(evaluators.sides))] if is_weighted else None
    return People(helper, found, means) if found else None


def _mean_of(columns: LabelColumns, i: int) -> float | None:
    found = strata.estimate(columns.of_side(i))
    return found.value if found else None


def _pair(columns: LabelColumns, i: int, j: int, widening: float, family: int) -> HelpedPair | None:
    sample, first = columns.difference(i, j)
    is_graded = columns.are_graded and columns.weighed is None
    room = scales if is_graded else strata
    found = room.estimate(sample, LEVELS[0], widening) if len(sample.labels) else None
    if found is None or found.labels < FEWEST or not columns.speak_of(i, j):
        return None
    at = partial(room.interval_at, sample, widening=widening)
    p = strata.p_value(at, found.value)
    baseline = _graded(first) if is_graded else _in_strata(sample, first)
    return HelpedPair(
        baseline=i,
        side=j,
        helped=found,
        means=(baseline, baseline + found.value),
        p=p,
        ninety=at(LEVELS[1]),
        joint=at(1 - ALPHA / family),
        p_joint=min(1.0, p * family),
        above=int((sample.labels > 0).sum()),
        below=int((sample.labels < 0).sum()),
    )


def _graded(first: Sample) -> float:
    """The helped mean of the baseline on a scale; there are labels enough for the difference, so for it as well."""
    found = scales.estimate(first)
    assert found is not None
    return found.value


def _in_strata(gaps: Sample, baseline: Sample) -> float:
    """The mean of the baseline's labels in the strata of the difference."""
    numbers, groups = strata.strata(gaps)
    both = np.isfinite(gaps.labels)
    middle, first = (baseline.low + baseline.high) / 2, baseline.labels
    return sum(
        group.size * _mean(first[both & (numbers == number)], middle) for number, group in enumerate(groups)
    ) / len(gaps.labels)


def _mean(values: Values, otherwise: float) -> float:
    return float(values.mean()) if len(values) else otherwise


# ---- in a comparison -----------------------------------------------------------------------------------------


def applied(family: PrimaryFamily, found: People) -> PrimaryFamily:
    """The primary family with the helped differences in place of those of the labels alone."""
    pairs = [_applied(pair, found.of(pair.baseline, pair.side)) for pair in family.pairs]
    return replace(family, pairs=pairs, means=_means(family, found))


def _means(family: PrimaryFamily, found: People) -> list[float | None]:
    """Of two sides the means that subtract to the difference; of more, those of the labels."""
    pair = found.pairs[0]
    if len(family.ranked) != 2 or {pair.baseline, pair.side} != {*family.ranked}:
        return [found.means[side] for side in family.ranked] if found.means else family.means
    by_side = dict(zip((pair.baseline, pair.side), pair.means, strict=True))
    return [by_side[side] for side in family.ranked]


def _applied(pair: Pair, helped: HelpedPair | None) -> Pair:
    if helped is None or pair.comparison is None:
        return pair
    if pair.baseline != helped.baseline:
        return _applied(pair.mirrored(), helped).mirrored()
    return replace(pair, comparison=difference(pair.comparison, helped), few_groups=None)


def difference(comparison: Difference, pair: HelpedPair) -> Difference:
    helped = pair.helped
    verdict: Verdict = "cannot_tell"
    if pair.p_joint <= ALPHA:
        verdict = "better" if helped.value > 0 else "worse"
    return replace(
        comparison,
        n=helped.labels,
        baseline_mean=pair.means[0],
        mean=pair.means[1],
        difference=helped.value,
        effect_size=None,
        changed=pair.above + pair.below,
        wins=pair.above,
        losses=pair.below,
        ties=helped.labels - pair.above - pair.below,
        interval=pair.joint,
        interval_single=helped.interval,
        interval_90=pair.ninety,
        p=pair.p,
        p_corrected=pair.p_joint,
        method=helped.method,
        seed=None,
        interval_method=helped.method,
        critical=None,
        standard_error=(helped.interval[1] - helped.interval[0]) / (2 * Z),
        df=float(helped.labels - 1),
        smallest=None,
        verdict=verdict,
        reason=None,
        overturned_by=None,
        imagined_90=None,
        thirds=None,
    )
