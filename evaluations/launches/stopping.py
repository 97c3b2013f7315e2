"""Early stopping: looks at each variant against the baseline, and stops variants that are decided.

A look is taken every 50 ranks, once all repetitions of both variants have these ranks. Its result depends only on the
answers, so several workers may look, and one can continue after another died.
"""

import math
from collections.abc import Sequence
from functools import partial

import numpy as np
from django.db import transaction

from evaluations import leases, owned
from evaluations.datasets import bitmaps
from evaluations.engine import chores, queue
from evaluations.errors import Invalid
from evaluations.evaluators.recipe import Recipe
from evaluations.experiments import experiments, runs
from evaluations.models import EvaluatorVersion, Experiment, Interim, Launch, Output, Run
from evaluations.scoring import coverage
from evaluations.statistics.clusters import average_repeats
from evaluations.statistics.sequential import Interim as Look
from evaluations.statistics.sequential import Rule, look
from evaluations.statistics.terms import Values
from evaluations.webhooks import events

from . import following
from .following import Follower

Variants = dict[str, list[Run]]


# ---- the rule ------------------------------------------------------------------------------------------------


def settings_for(experiment: Experiment, names: Sequence[str], margin: float) -> dict[str, object]:
    """The rule's settings as stored; raises `Invalid` if these variants cannot stop early."""
    version = check(following.primary_version(experiment), names, margin)
    baseline = experiment.baseline if experiment.baseline in names else names[0]
    return {"margin": margin, "evaluator": version.pk, "baseline": baseline, "variants": len(names) - 1}


def check(version: EvaluatorVersion | None, names: Sequence[str], margin: float) -> EvaluatorVersion:
    """The version of the primary evaluator; raises `Invalid` if variants cannot stop early by it."""
    if len(names) < 2:
        raise _invalid("To stop early, a launch compares variants; select at least two.")
    if version is None:
        raise _invalid(
            "To stop early, a launch needs a primary evaluator that calls no server and is no formula."
        )
    experiments.require_margin(margin, "stop")
    recipe = Recipe.from_version(version)
    if recipe.kind.is_recorded:
        raise _invalid(f"{version.evaluator.name} computes nothing; a launch stops early by a formula only.")
    if recipe.headline is not None:
        raise _invalid(
            f"{version.evaluator.name} compares runs by a statistic, and a launch stops early by means only."
        )
    low, high = recipe.bounds
    if low is None or high is None or math.isinf(high):
        message = (
            f"{version.evaluator.name} has no lowest or highest possible score, so a launch cannot stop "
            "early by it."
        )
        raise _invalid(message)
    if margin >= high - low:
        raise _invalid(f"The margin must be below {high - low:g}, the range of {version.evaluator.name}.")
    return version


def _invalid(message: str) -> Invalid:
    return Invalid("invalid_launch", message, fields={"stop": [message]})


def ends(recipe: Recipe) -> tuple[float, float]:
    """The lowest and highest possible score of an evaluator that has both (`check` requires it)."""
    low, high = recipe.bounds
    assert low is not None
    assert high is not None
    return low, high


def rule_of(launch: Launch, recipe: Recipe) -> Rule:
    low, high = ends(recipe)
    margin = launch.stop["margin"] / (high - low)
    return Rule(launch.size, launch.stop["variants"], margin, recipe.direction)


# ---- looks ---------------------------------------------------------------------------------------------------


def by_variant(launch: Launch) -> Variants:
    """The repetitions of each variant, the baseline first."""
    variants: Variants = {launch.stop["baseline"]: []} if launch.stop else {}
    for run in following.runs_of(launch):
        variants.setdefault(run.variant, []).append(run)
    return variants


def follow(follower: Follower) -> bool:
    """Score settled answers, look, and stop decided variants; returns whether answers were scored."""
    is_new = follower.follow()
    if follower.launch.stop and follower.recipe:
        _look_at_all(follower, follower.recipe)
    return is_new


def catch_up(follower: Follower) -> None:
    """Score and look at all settled answers, once no further answer will arrive."""
    while follow(follower):
        pass


def _look_at_all(follower: Follower, recipe: Recipe) -> None:
    baseline, *variants = by_variant(follower.launch).values()
    if not baseline or not variants:
        return
    rule = rule_of(follower.launch, recipe)
    columns = filled(baseline, recipe)
    for variant in variants:
        if decided := _decided(variant):
            _stop_again(follower, variant, decided.n)
        else:
            _look(follower, variant, rule, columns, filled(variant, recipe), recipe)
    _conclude(follower, baseline, variants)


def filled(repetitions: Sequence[Run], recipe: Recipe) -> Values:
    """The mean over repetitions by rank; an unanswered example has the worst score."""
    low, high = ends(recipe)
    worst = low if recipe.direction == "maximize" else high
    columns = [following.scores_of(run).filled(worst) for run in repetitions]
    shortest = min(map(len, columns))
    return average_repeats([column[:shortest] for column in columns])


def _look(
    follower: Follower, variant: Sequence[Run], rule: Rule, baseline: Values, scores: Values, recipe: Recipe
) -> None:
    """Take the looks that are due, up to the first that decides."""
    settled = min(len(baseline), len(scores))
    before = Interim.objects.filter(run=variant[0]).order_by("-n").values_list("n", flat=True).first() or 0
    low, high = ends(recipe)
    differences = (scores[:settled] - baseline[:settled]) / (high - low)
    for n in rule.looks:
        if before < n <= settled:
            interim = look(differences, n, rule)
            _keep(follower, variant, interim, (scores[:n], baseline[:n]), high - low)
            if interim.outcome:
                return


def _keep(
    follower: Follower, variant: Sequence[Run], look: Look, columns: tuple[Values, Values], span: float
) -> None:
    """Store a look, and stop the variant if the look decides before the end."""
    scores, baseline = columns
    both = ~np.isnan(scores) & ~np.isnan(baseline)
    with transaction.atomic():
        owned.hold(follower.launch.experiment)
        interim = Interim(
            run=variant[0],
            n=look.n,
            counted=look.counted,
            mean=float(scores[both].mean()) if look.counted else None,
            baseline_mean=float(baseline[both].mean()) if look.counted else None,
            low=look.interval[0] * span,
            high=look.interval[1] * span,
            outcome=look.outcome,
        )
        Interim.objects.bulk_create([interim], ignore_conflicts=True)
        if look.outcome and look.n < follower.launch.size:
            _stop(follower, variant, look.n)


# ---- stopping ------------------------------------------------------------------------------------------------


def _stop(follower: Follower, repetitions: Sequence[Run], n: int) -> None:
    """Stop the calls for a variant. Its runs keep the first `n` examples and are scored; later answers do not count."""
    included = bitmaps.packed(follower.by_rank[:n])
    for run in Run.objects.select_for_update().filter(pk__in=[run.pk for run in repetitions]).order_by("pk"):
        if run.status in (Run.Status.FAILED, Run.Status.CANCELLED) or _holds(run, n):
            continue
        queue.cancel_jobs(run)
        usable = Output.objects.filter(run=run, text__isnull=False).values_list("position", flat=True)
        count = np.isin(follower.by_rank[:n], list(usable)).sum()
        Run.objects.filter(pk=run.pk).update(asked_rows=included, output_count=count, usage=None)
        run.refresh_from_db()
        runs.score(run)


def _stop_again(follower: Follower, repetitions: Sequence[Run], n: int) -> None:
    """Stop a variant of a launch that was cancelled during the look, and continued since."""
    if n < follower.launch.size and any(run.status == Run.Status.GENERATING for run in repetitions):
        with transaction.atomic():
            owned.hold(follower.launch.experiment)
            _stop(follower, repetitions, n)


def _holds(run: Run, n: int) -> bool:
    """Whether the variant stopped at `n` before, and its failed answers were asked again since."""
    return run.status != Run.Status.GENERATING and coverage.count(run) == n


def _conclude(follower: Follower, baseline: Sequence[Run], variants: Sequence[Sequence[Run]]) -> None:
    """If all variants are decided, stop the baseline after as many examples as the last of them."""
    launch, last = follower.launch, [_decided(variant) for variant in variants]
    stopped_at = [interim.n for interim in last if interim]
    if len(stopped_at) < len(variants):
        return
    is_early = max(stopped_at) < launch.size
    status = Launch.Status.DECIDED if is_early else Launch.Status.COMPLETED
    with transaction.atomic():
        owned.hold(launch.experiment)
        going = Launch.objects.filter(pk=launch.pk, status=Launch.Status.RUNNING)
        if going.update(status=status, finished_at=leases.now()) and is_early:
            _stop(follower, baseline, max(stopped_at))
            events.launch_stopped(launch, status)


def _decided(repetitions: Sequence[Run]) -> Interim | None:
    """The look that decided a variant; None if it is undecided."""
    return Interim.objects.filter(run=repetitions[0]).exclude(outcome="").order_by("n").first()


def look_again(run: Run, launch: Launch) -> None:
    """Delete the last look of a run whose failed answers are asked again; for the baseline, those of all variants."""
    if not launch.stop:
        return
    run.early_scores.all().delete()
    is_baseline = run.variant == launch.stop["baseline"]
    for name, repetitions in by_variant(launch).items():
        if is_baseline or name == run.variant:
            Interim.objects.filter(run=repetitions[0]).exclude(outcome="").delete()


def sweep() -> None:
    """Take the looks that a lost worker did not take."""
    going = Launch.objects.filter(status=Launch.Status.RUNNING, stop__isnull=False)
    for launch in going.filter(experiment__deleted_at=None).select_related("experiment"):
        chores.run_each([partial(catch_up, Follower(launch))])


# ---- results --------------------------------------------------------------------------------------


def sequence(launch: Launch) -> list[Interim]:
    """Every look of a launch, variant by variant."""
    looks = Interim.objects.filter(run__generation__launch=launch, run__deleted_at=None)
    return list(looks.order_by("run_id", "n")) if launch.stop else []
