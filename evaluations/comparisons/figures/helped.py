"""People's labels as the primary evaluator of a comparison, helped by an evaluator that is held against them.

Only an evaluator whose sealed labels are open for the version that scored these runs helps; of several the one that was
opened first, so that nobody chooses it by the result. Its verdicts never count by themselves: they make strata.
"""

from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import numpy as np

from evaluations.datasets import identities, live_positions
from evaluations.kinds.people import PeopleConfig, people
from evaluations.labelling import sealing, sets
from evaluations.models import Evaluator, EvaluatorVersion, Opening
from evaluations.scoring.causes import Cause
from evaluations.statistics.intervals import ALPHA, Z
from evaluations.statistics.people import scales, strata
from evaluations.statistics.people.strata import Helped, Sample
from evaluations.statistics.terms import Difference, Interval, Mask, Values, Verdict

from ..alignment.alignment import Aligner
from ..alignment.sides import Sides
from ..people import held
from .evaluators import Evaluators
from .family_figures import Pair, PrimaryFamily

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
    """The helped differences of all pairs; `helper` is the version whose verdicts made the strata."""

    helper: EvaluatorVersion
    pairs: list[HelpedPair]

    def of(self, baseline: int, side: int) -> HelpedPair | None:
        return next((pair for pair in self.pairs if {pair.baseline, pair.side} == {baseline, side}), None)


def helper_of(evaluators: Evaluators, label_set: Evaluator) -> EvaluatorVersion | None:
    """The version that helps the labels in this comparison; None without one that is held against them."""
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
    widening: float,
    helper: EvaluatorVersion | None = None,
) -> People | None:
    """The helped estimates; None if the primary evaluator has no numbers from people, or nothing helps.

    Without a `helper`, the one that was opened first helps.
    """
    version = evaluators.scoring(primary.pk).evaluator_version
    if version.kind != people.key:
        return None
    config = sets.config_of(version)
    if config.answers == "pair" or not config.has_means:
        return None
    helper = helper or helper_of(evaluators, primary)
    if helper is None or any(side.is_averaged for side in evaluators.sides):
        return None
    columns = _Columns.read(evaluators, aligner, primary, helper, config)
    indices = [*combinations(range(len(evaluators.sides)), 2)]
    pairs = [_pair(columns, i, j, widening, len(indices)) for i, j in indices]
    found = [pair for pair in pairs if pair is not None]
    return People(helper, found) if found else None


@dataclass(frozen=True)
class _Columns:
    """By side: labels and verdicts by example, NaN without; which examples were asked, and which were not answered.

    Labels are from `worst` to `best`; those that are more than pass and fail `are_graded`.
    """

    labels: list[Values]
    judged: list[Values]
    asked: list[Mask]
    silent: list[Mask]
    excludes: bool
    worst: float
    best: float
    are_graded: bool

    @classmethod
    def read(
        cls,
        evaluators: Evaluators,
        aligner: Aligner,
        primary: Evaluator,
        helper: EvaluatorVersion,
        config: PeopleConfig,
    ) -> "_Columns":
        given = replace(aligner, missing="exclude", _recipes={}, _placements={})
        of_people = given.aligned(primary.pk, evaluators.scales[primary.pk])
        of_helper = given.aligned(helper.evaluator_id, evaluators.scales[helper.evaluator_id])
        size = aligner.size
        none = np.full(size, np.nan)
        unread = _written(aligner, primary) if held.is_judge(helper) else np.zeros(size, np.bool_)
        labels = [none if column is None else column.values for column in of_people.columns]
        causes = [np.full(size, Cause.NOT_ASKED, np.uint8) if c is None else c for c in of_people.causes]
        return cls(
            labels=[np.where(unread, np.nan, values) for values in labels],
            judged=[none if column is None else column.values for column in of_helper.columns],
            asked=[cause != Cause.NOT_ASKED for cause in causes],
            silent=[cause == Cause.VARIANT for cause in causes],
            excludes=aligner.missing == "exclude",
            worst=min(config.choices.values()),
            best=max(config.choices.values()),
            are_graded=config.answers != "pass_fail",
        )

    def sample(self, i: int, j: int) -> tuple[Sample, Sample]:
        """Side j less side i over the examples that both were asked, and side i alone.

        An unanswered example counts as worst without a label, and by the helper the same.
        """
        inside = self.asked[i] & self.asked[j]
        if self.excludes:
            inside = inside & ~self.silent[i] & ~self.silent[j]
        first, second = (np.where(self.silent[k], self.worst, self.labels[k])[inside] for k in (i, j))
        says = [np.where(self.silent[k], self.worst, self.judged[k])[inside] for k in (i, j)]
        both = (self.silent[i] & self.silent[j])[inside]
        known = both if both.any() else None
        span = self.best - self.worst
        gaps = Sample(second - first, says[1] - says[0], -span, span, known)
        paired = np.where(np.isfinite(gaps.labels), first, np.nan)
        return gaps, Sample(paired, says[0], self.worst, self.best, known)


def _written(aligner: Aligner, label_set: Evaluator) -> Mask:
    """The examples whose labels were read while a rubric was written."""
    dataset, number = aligner.version
    every = aligner.positions.every.copy()
    present = live_positions.of_version(dataset, number)
    every[aligner.positions.slots(present.every)] = identities.of_version(dataset, number)
    parts = sealing.parts(label_set, dataset.pk, every)
    mask: Mask = aligner.part(parts == sealing.WRITE)
    return mask


def _pair(columns: _Columns, i: int, j: int, widening: float, family: int) -> HelpedPair | None:
    sample, first = columns.sample(i, j)
    room = scales if columns.are_graded else strata
    found = room.estimate(sample, LEVELS[0], widening) if len(sample.labels) else None
    if found is None or found.labels < FEWEST:
        return None
    at = partial(room.interval_at, sample, widening=widening)
    p = strata.p_value(at, found.value)
    baseline = _graded(first) if columns.are_graded else _in_strata(sample, first.labels)
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


def _in_strata(gaps: Sample, first: Values) -> float:
    """The mean of the baseline's labels in the strata of the difference."""
    numbers, groups = strata.strata(gaps)
    both = np.isfinite(gaps.labels)
    return sum(
        group.size * _mean(first[both & (numbers == number)]) for number, group in enumerate(groups)
    ) / len(gaps.labels)


def _mean(values: Values) -> float:
    return float(values.mean()) if len(values) else 0.5


# ---- in a comparison -----------------------------------------------------------------------------------------


def applied(family: PrimaryFamily, found: People) -> PrimaryFamily:
    """The primary family with the helped differences in place of those of the labels alone."""
    pairs = [_applied(pair, found.of(pair.baseline, pair.side)) for pair in family.pairs]
    return replace(family, pairs=pairs, means=_means(family, found))


def _means(family: PrimaryFamily, found: People) -> list[float | None]:
    """Of two sides the means that subtract to the difference; of more, those of the labels."""
    pair = found.pairs[0]
    if len(family.ranked) != 2 or {pair.baseline, pair.side} != {*family.ranked}:
        return family.means
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
