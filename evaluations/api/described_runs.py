"""Runs with their progress, usage and figures, as the API answers them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from evaluations.evaluators.recipe import Recipe
from evaluations.experiments import runs
from evaluations.launches import states, usage
from evaluations.models import Run, Scoring
from evaluations.results.shown import scorings_by_run
from evaluations.scoring import coverage, in_mean, summaries

MOST_EARLIER = 20  # runs of the same name, the newest ones


@dataclass(frozen=True)
class DescribedRun:
    """`scorings` are the figures of each evaluator, with the names of `ScoringSerializer`."""

    run: Run
    progress: runs.Progress
    usage: usage.Usage | None
    stopped_early_of: int | None
    scorings: list[dict[str, Any]]
    earlier_runs: list[int]
    error: dict[str, Any] | None

    @property
    def asked_examples(self) -> int | None:
        return coverage.count(self.run)


def described(queryset: Iterable[Run]) -> list[DescribedRun]:
    """Runs with all that an answer says of them, in a handful of queries for all of them."""
    of_runs = list(queryset)
    used, stopped_early = usage.of_runs(of_runs), states.stopped_early(of_runs)
    progress = runs.progress_of(of_runs)
    scorings = scorings_by_run(of_runs)
    figures = summaries.load_many(scoring for of_run in scorings.values() for scoring in of_run)
    of_name, errors = runs.by_name(of_runs), states.errors(of_runs)
    return [
        DescribedRun(
            run,
            progress[run.pk],
            used.get(run.pk),
            stopped_early.get(run.pk),
            [_figures(scoring, figures[scoring.pk]) for scoring in scorings[run.pk]],
            [pk for pk in of_name[run.experiment_id, run.variant] if pk < run.pk][-MOST_EARLIER:],
            errors[run.pk],
        )
        for run in of_runs
    ]


def _figures(scoring: Scoring, summary: summaries.Figures) -> dict[str, Any]:
    recipe = Recipe.from_version(scoring.evaluator_version)
    ends = summaries.interval(summary, recipe.bounds)
    half = (ends[1] - ends[0]) / 2 if ends else None
    around: dict[str, Any] = {"interval": ends, "half_interval": half, "headline": summary.get("headline")}
    counted = in_mean.compared(summary, recipe)
    if counted:
        around["compared"] = {**counted, "interval": summaries.interval(counted, recipe.bounds)}
    return {
        "compared": None,
        **summary,
        **around,
        "evaluator": scoring.evaluator_version,
        "usage": scoring.usage,
    }
