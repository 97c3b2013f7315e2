"""Checks a run against each criterion of a gate."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evaluations.comparisons.alignment.alignment import Aligner
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.figures.measures import costs, latencies
from evaluations.comparisons.people import standing
from evaluations.datasets.live_positions import Positions
from evaluations.evaluators.recipe import Recipe
from evaluations.models import Evaluator, Run
from evaluations.scoring.causes import Cause
from evaluations.statistics import missing
from evaluations.statistics.evidence import plausible
from evaluations.statistics.power import examples_to_decide, examples_to_settle
from evaluations.statistics.terms import Difference

from .criteria import Criterion
from .results import Result
from .wording import Named

ROUNDING = 1e-12  # The mean of 0.1 and 0.2 is slightly above 0.15 in floats.
MOST_NAMED = 20
NO_SCORE = "No example has a score."
AT_WORST = (
    "The baseline has the worst score there is, so no answer can be worse: this criterion tests nothing."
)


@dataclass(frozen=True)
class Bench:
    """The comparison on which a check is computed: a run, or the baseline itself, against the baseline of a gate."""

    comparison: Comparison
    run: Run
    currency: str = ""

    def judge(self, criterion: Criterion) -> Result:
        name, helper = (self._name(pk) for pk in (criterion.evaluator, criterion.helper))
        named = Named(criterion, name, helper, self.currency, self._is_share(criterion.evaluator))
        recipe = self._recipe(criterion.evaluator)
        is_of_examples = recipe is not None and recipe.is_share
        blank = Result(
            criterion,
            named.title,
            "inconclusive",
            name,
            is_share=named.is_share,
            is_of_examples=is_of_examples,
        )
        if criterion.evaluator is not None and not self._is_scored(criterion.evaluator):
            return replace(blank, reason="The run was not scored by this evaluator.")
        if criterion.helper is not None and not self._is_scored(criterion.helper):
            return replace(blank, reason=f"The run was not scored by {helper}, which helps the labels.")
        return RULES[criterion.rule](self, blank)

    def _name(self, pk: int | None) -> str:
        if pk is None:
            return ""
        by_id = {evaluator.pk: evaluator for evaluator in self.comparison.evaluators}
        return (by_id.get(pk) or Evaluator.objects.get(pk=pk)).name

    def _is_share(self, pk: int | None) -> bool:
        """Whether the means of an evaluator that scored a side are per cent."""
        recipe = self._recipe(pk)
        return recipe is not None and recipe.is_per_cent

    def _recipe(self, pk: int | None) -> Recipe | None:
        if pk is None or not any(pk in side.scorings for side in self.comparison.sides):
            return None
        return Recipe.from_version(self.comparison.evaluators.scoring(pk).evaluator_version)

    def _is_scored(self, evaluator_id: int) -> bool:
        return all(evaluator_id in side.scorings for side in self.comparison.sides)

    @property
    def side_index(self) -> int:
        """The index of the run among the sides."""
        return len(self.comparison.sides) - 1

    @property
    def is_baseline(self) -> bool:
        return self.side_index == 0

    def estimated(self, criterion: Criterion) -> Difference:
        """The run against the baseline by a criterion's evaluator, or by labels that its helper helps."""
        paired = self.paired(criterion.evaluator or 0)
        evaluators = self.comparison.evaluators
        is_weighted = standing.is_weighted(evaluators.scoring(criterion.evaluator or 0).evaluator_version)
        if self.is_baseline or (criterion.helper is None and not is_weighted):
            return paired
        labels = next(evaluator for evaluator in evaluators if evaluator.pk == criterion.evaluator)
        helper = criterion.helper and evaluators.scoring(criterion.helper).evaluator_version
        return self.comparison.figures.helped_by(labels, helper or None, self.side_index) or paired

    def paired(self, evaluator_id: int) -> Difference:
        """The run against the baseline; if the run is the baseline, a difference of 0 (None without scores)."""
        evaluator = next(
            evaluator for evaluator in self.comparison.evaluators if evaluator.pk == evaluator_id
        )
        if not self.is_baseline:
            return self.comparison.figures.tested(evaluator, self.side_index).paired
        mean = self.comparison.figures.scored(evaluator).means[0]
        n, zero = self.size(evaluator), None if mean is None else (0.0, 0.0)
        return Difference(
            self.comparison.evaluators.direction(evaluator_id),
            n=n,
            mean=mean,
            baseline_mean=mean,
            difference=None if mean is None else 0.0,
            interval=zero,
            interval_90=zero,
            verdict=None if mean is None else "cannot_tell",
        )

    def unchanged(self, criterion: Criterion, n: int) -> float | None:
        """How far from 0 the interval of a run with the scores of the baseline reaches; None without a known range."""
        span = self.comparison.evaluators.scales[criterion.evaluator or 0].span
        if not self.is_baseline or criterion.helper is not None or n < 2 or not span:
            return None
        return plausible(n, span)

    def size(self, evaluator: Evaluator) -> int:
        """How many examples of the run the evaluator scored, or would have scored if they were answered."""
        tally = self.comparison.figures.scored(evaluator).tallies[self.side_index]
        return 0 if tally is None else tally.examples - tally.no_reference - tally.failed

    # ---- passed examples ------------------------------------------------------------------------------------

    @cached_property
    def aligner(self) -> Aligner:
        return Aligner(self.comparison.sides, self.comparison.missing)

    def passes(self, evaluator_id: int) -> list[NDArray[np.int8]]:
        """1 passed, 0 failed, −1 no verdict, for every side and example.

        An example without a readable answer fails, unless it is excluded.
        """
        judged = self.aligner.judged(evaluator_id)
        slots = self.aligner.slots(judged_run.scoring for side in judged for judged_run in side)
        unanswered = 0 if self.comparison.missing == "worst" else -1
        runs = [judged_run for [judged_run] in judged]
        passed = [self.aligner.part_of(run.scoring.run_id, slots[run.scoring.pk].passed, -1) for run in runs]
        return [
            _passes(passed_examples, run.causes, unanswered)
            for passed_examples, run in zip(passed, runs, strict=True)
        ]

    @property
    def positions(self) -> NDArray[np.int64]:
        """The positions of the examples, in the order of `passes`."""
        return self.aligner.part(self.aligner.positions.every)


def _passes(passed: NDArray[np.int8], causes: NDArray[np.uint8], unanswered: int) -> NDArray[np.int8]:
    passes = np.where(causes == Cause.SCORED, passed, np.int8(-1))
    passes[causes == Cause.VARIANT] = unanswered
    return passes


# ---- rules that need an interval ----------------------------------------------------------------------------


def _not_worse(bench: Bench, blank: Result) -> Result:
    """PASS if the worse end of the 90 % interval is above −δ; else FAIL if the 95 % interval is worse; else open."""
    paired, margin = bench.estimated(blank.criterion), blank.criterion.margin or 0.0
    result = _compared(blank, paired)
    interval = paired.ninety(margin)
    if interval is None or paired.verdict is None:
        return replace(result, reason=paired.reason or NO_SCORE)
    result = replace(result, interval_90=interval, unchanged=bench.unchanged(blank.criterion, paired.n))
    low, high = interval
    worst = -low if paired.direction == "maximize" else high
    if worst < margin:
        return replace(result, verdict="pass")
    if paired.verdict == "worse":
        return replace(result, verdict="fail")
    worst_of_all = missing.bound(bench.comparison.evaluators.scales[blank.criterion.evaluator or 0])
    if paired.baseline_mean == worst_of_all is not None:
        return replace(result, reason=AT_WORST)
    return replace(result, examples_needed=examples_to_settle(paired, margin))


def _better(bench: Bench, blank: Result) -> Result:
    paired = bench.estimated(blank.criterion)
    result = _compared(blank, paired)
    if paired.verdict is None:
        return replace(result, reason=paired.reason or NO_SCORE)
    if paired.verdict == "better":
        return replace(result, verdict="pass")
    if paired.verdict == "worse":
        return replace(result, verdict="fail")
    return replace(result, examples_needed=examples_to_decide(replace(paired, margin=None)))


def _compared(blank: Result, paired: Difference) -> Result:
    return replace(
        blank,
        direction=paired.direction,
        measured=paired.mean,
        baseline=paired.baseline_mean,
        difference=paired.difference,
        interval=paired.interval,
        interval_90=paired.interval_90,
        n=paired.n,
        is_bound=paired.interval_method == "bound",
    )


# ---- rules that need no interval -----------------------------------------------------------------------------


def _limit(bench: Bench, blank: Result) -> Result:
    criterion = blank.criterion
    evaluator = next(
        evaluator for evaluator in bench.comparison.evaluators if evaluator.pk == criterion.evaluator
    )
    if criterion.figure == "pass_rate":
        sides = bench.passes(evaluator.pk)
        rates = [float((side[side >= 0] == 1).mean()) if (side >= 0).any() else None for side in sides]
        result = replace(blank, measured=rates[-1], baseline=rates[0], n=int((sides[-1] >= 0).sum()))
    else:
        means = bench.comparison.figures.scored(evaluator).means
        result = replace(blank, measured=means[-1], baseline=means[0], n=bench.size(evaluator))
    return _within_limit(result, at_least=criterion.rule == "at_least")


def _within_limit(result: Result, *, at_least: bool) -> Result:
    """Compare a figure with the criterion's value, allowing for rounding; open if there is no figure."""
    value, measured = result.criterion.value or 0.0, result.measured
    if measured is None:
        return replace(result, reason=result.reason or "The run has no figure for this criterion.")
    hair = ROUNDING * max(1.0, abs(value))
    holds = measured >= value - hair if at_least else measured <= value + hair
    return replace(result, verdict="pass" if holds else "fail")


def _no_new_failures(bench: Bench, blank: Result) -> Result:
    """Check the number of new failures: examples that the baseline passes and the run fails."""
    baseline, *variants = bench.passes(blank.criterion.evaluator or 0)
    run = variants[0] if variants else baseline
    judged, failing = (baseline >= 0) & (run >= 0), (baseline == 1) & (run == 0)
    hidden = bench.aligner.part(bench.aligner.sealed(blank.criterion.evaluator or 0).slots)
    positions = bench.positions[failing & ~hidden][:MOST_NAMED].tolist()
    count = float(np.count_nonzero(failing))
    result = replace(blank, measured=count, n=int(np.count_nonzero(judged)), positions=positions)
    return _within_limit(result, at_least=False)


def _answered(bench: Bench, blank: Result) -> Result:
    measures = bench.comparison.figures.measures
    counts = zip(measures.answered, measures.examples, strict=True)
    shares = [answered / examples if examples else None for answered, examples in counts]
    result = replace(
        blank, measured=shares[bench.side_index], baseline=shares[0], n=measures.examples[bench.side_index]
    )
    return _within_limit(result, at_least=True)


def _mean_rule(
    read: Callable[[Run, Positions], NDArray[np.float64]], unknown: str
) -> Callable[[Bench, Result], Result]:
    """Build the rule about a mean latency or cost; answers without the figure do not count."""

    def rule(bench: Bench, blank: Result) -> Result:
        compared = bench.run, bench.comparison.sides.baseline.run
        measured, baseline = (read(run, bench.aligner.placement(run.pk).positions) for run in compared)
        result = replace(
            blank,
            measured=_mean(measured),
            baseline=_mean(baseline),
            n=int(np.isfinite(measured).sum()),
            reason="" if np.isfinite(measured).any() else unknown,
        )
        return _within_limit(result, at_least=False)

    return rule


def _mean(values: NDArray[np.float64]) -> float | None:
    finite_values = values[np.isfinite(values)]
    return float(finite_values.mean()) if finite_values.size else None


def _examples(bench: Bench, blank: Result) -> Result:
    """Check the number of pairs by the evaluator that has the fewest; too few are INCONCLUSIVE, not a failure."""
    evaluators = bench.comparison.evaluators
    n = min((bench.paired(evaluator.pk).n for evaluator in evaluators), default=0)
    minimum = int(blank.criterion.value or 0)
    if n >= minimum:
        return replace(blank, verdict="pass", measured=float(n), n=n)
    return replace(blank, measured=float(n), n=n, examples_needed=minimum - n)


RULES: dict[str, Callable[[Bench, Result], Result]] = {
    "not_worse": _not_worse,
    "better": _better,
    "at_least": _limit,
    "at_most": _limit,
    "no_new_failures": _no_new_failures,
    "answered": _answered,
    "cost": _mean_rule(costs, "The cost of this run's answers is not known."),
    "latency": _mean_rule(latencies, "The latency of this run's answers is not known."),
    "examples": _examples,
}


# ---- all criteria --------------------------------------------------------------------------------------------
