"""What the page of a run shows: averages, counts to filter by, and the selected rows."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.http import HttpRequest

from evaluations import charts
from evaluations.evaluators.recipe import Recipe
from evaluations.experiments import about, experiments, runs
from evaluations.experiments.runs import Progress
from evaluations.models import Experiment, Import, Run, Scoring
from evaluations.results import results
from evaluations.scoring import summaries
from evaluations.scoring.summaries import Figures
from evaluations.statistics.intervals import Interval

from . import filters, run_rows
from .calls import curl
from .filters import Segment
from .paging import RESET, address
from .run_rows import RunRows
from .run_selection import RunSelection

FILTERS: dict[str, None] = dict.fromkeys(("min", "below", "show", "order", *RESET))


@dataclass(frozen=True)
class Average:
    """An evaluator's mean with its interval, a histogram whose bins filter, and counts that filter."""

    scoring: Scoring
    name: str
    address: str
    summary: Figures
    lower_is_better: bool
    is_whole: bool
    interval: Interval | None
    decimals: int
    histogram: str
    states: list[Segment]
    errors: int
    errors_address: str


class RunPage(RunRows):
    """The rows with what stands above them; `kept` are the filters that forms repeat."""

    run: Run
    experiment: Experiment
    importing: Import | None
    is_going: bool
    progress: Progress | None
    took: timedelta | None
    others: list[Run]
    facts: list[about.Fact]
    api_call: str
    can_score: bool
    has_more: bool
    selection: RunSelection
    scorings: list[Scoring]
    averages: list[Average]
    segments: list[Segment]
    errors: int
    kept: list[tuple[str, str]]
    any_score_address: str


def run_page(request: HttpRequest, run: Run, may: Collection[str]) -> RunPage:
    """`may` holds the actions this user may do, see `frame`."""
    scorings = results.scorings_of(run)
    figures = summaries.load_many(scorings)
    selection = RunSelection.from_request(request, scorings)
    rows = run_rows.rows(request, run, scorings, selection)
    importing = run.imports.first() if run.status == Run.Status.DRAFT else None
    return RunPage(
        **rows,
        run=run,
        experiment=run.experiment,
        importing=importing,
        is_going=importing is not None or run.status in Run.OPEN,
        progress=runs.progress(run) if run.status in Run.OPEN else None,
        took=run.finished_at - run.started_at if run.started_at and run.finished_at else None,
        others=[other for other in experiments.shown_runs(run.experiment) if other.pk != run.pk],
        facts=about.facts(run),
        api_call=curl(request, f"/api/v1/runs/{run.pk}/results/"),
        can_score="run" in may and run.status not in (Run.Status.DRAFT, Run.Status.FAILED),
        has_more=not importing and ("run" in may or "remove" in may),
        selection=selection,
        scorings=scorings,
        averages=[_Averaging(request, scoring).average(figures[scoring.pk]) for scoring in scorings],
        segments=_segments(request, selection, figures, rows["total"]),
        errors=sum(figures[scoring.pk]["counts"]["error"] for scoring in scorings),
        kept=filters.kept(request, only=("show", "order", "min", "below")),
        any_score_address=address(request, min=None, below=None, **RESET),
    )


# ---- averages ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Averaging:
    """Makes an `Average`, whose links replace the filters of the page."""

    request: HttpRequest
    scoring: Scoring

    def address(self, **query: Any) -> str:
        chosen = {"evaluator": self.scoring.evaluator_version.evaluator_id}
        return address(self.request, **(FILTERS | chosen | query))

    def average(self, summary: Figures) -> Average:
        recipe = Recipe.from_version(self.scoring.evaluator_version)
        counts, mean = summary["counts"], summary["mean"] or 0
        return Average(
            scoring=self.scoring,
            name=self.scoring.evaluator_version.evaluator.name,
            address=self.address(),
            summary=summary,
            lower_is_better=recipe.kind.direction == "minimize",
            is_whole=summary["n"] == counts["scored"] == counts["total"],
            interval=summaries.interval(summary, recipe.bounds),
            decimals=3 - sum(abs(mean) >= size for size in (10, 100)),
            histogram=self._histogram(recipe, summary),
            states=self._states(counts),
            errors=counts["error"],
            errors_address=self.address(show="errors"),
        )

    def _states(self, counts: dict[str, int]) -> list[Segment]:
        missing = counts["missing_expected"] + counts["missing_actual"]
        states = {"scored": counts["scored"], "missing": missing, "unmapped": counts["unmapped"]}
        return [
            Segment(word, n, self.address(show=word)) for word, n in states.items() if n or word == "scored"
        ]

    def _histogram(self, recipe: Recipe, summary: Figures) -> str:
        bins = summary.get("histogram")
        if not bins or not summary["n"]:
            return ""
        lowest, highest = bins["edges"][0], bins["edges"][-1]

        def bin_address(low: float, high: float) -> str:
            """The end bins also hold what lies outside."""
            return self.address(min=None if low == lowest else low, below=None if high == highest else high)

        return charts.histogram(summary, recipe.threshold, recipe.kind.direction, bin_address)


# ---- counts to filter by -----------------------------------------------------------------------------------


def _segments(
    request: HttpRequest, selection: RunSelection, figures: dict[int, Figures], total: int
) -> list[Segment]:
    counts = _counts(figures[selection.scoring.pk], selection.show) if selection.scoring else {"all": total}
    return [
        Segment(
            word,
            n,
            address(request, show=None if word == "all" else word, **RESET),
            word == selection.show,
        )
        for word, n in counts.items()
    ]


def _counts(summary: Figures, show: str) -> dict[str, int]:
    """Rows by condition; a condition without rows is left out unless it is chosen."""
    by_status = summary["counts"]
    passed, judged = summary["n_passed"], summary["n_judged"]
    return {
        "all": by_status["total"],
        **({"fail": judged - passed, "pass": passed} if judged else {}),
        "missing": by_status["missing_expected"] + by_status["missing_actual"],
        **({"unmapped": by_status["unmapped"]} if by_status["unmapped"] or show == "unmapped" else {}),
        "errors": by_status["error"],
        **({"scored": by_status["scored"]} if show == "scored" else {}),
    }
