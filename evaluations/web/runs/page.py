"""The context of a run's page: averages, counts to filter by, and the selected rows."""

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from django.utils.safestring import SafeString

from evaluations import charts
from evaluations.comparisons.people import standing
from evaluations.evaluators.recipe import Recipe
from evaluations.experiments import about, edited_outputs, experiments, reading_steps, runs
from evaluations.gates import sent
from evaluations.judges import allowances, waiting
from evaluations.kinds.people import people
from evaluations.labelling import seal
from evaluations.launches import following, states, usage
from evaluations.models import EvaluatorVersion, Run, Scoring
from evaluations.numerals import fixed
from evaluations.process_cache import ProcessCache
from evaluations.results import answered
from evaluations.results.filters import ScoreFilter
from evaluations.scoring import coverage, in_mean, summaries
from evaluations.scoring.summaries import Figures
from evaluations.statistics.intervals import Interval

from ..page_tools.calls import curl
from ..page_tools.frame import Context
from ..page_tools.paging import RESET, address
from ..page_tools.request import HttpRequest
from ..page_tools.url_values import Segment
from . import filters as run_filters
from . import histogram_links
from . import rows as run_rows
from .mixed_up import mixed_up
from .selection import CONDITIONS, RunSelection, as_parameters, told

LONG = 2_000_000  # examples; those of fewer are counted in less time than it takes to show them
Key: TypeAlias = tuple[Hashable, ...]
counts_of_long_runs: ProcessCache[Key, dict[str, int]] = ProcessCache("counts of long runs", 1_000)


@dataclass(frozen=True)
class Average:
    """What runs are compared by, with its interval; a histogram and counts whose parts are filters."""

    scoring: Scoring
    name: str
    address: str
    summary: Figures
    lower_is_better: bool
    has_statistics: bool
    is_whole: bool
    headline: str | None
    value: float | None
    interval: Interval | None
    decimals: int
    is_share: bool
    spread: str
    histogram: SafeString
    outcomes: list[Segment]  # pass, fail and neither, where scores are 0 and 1 or between the two
    states: list[Segment]
    errors: int
    errors_address: str
    is_people: bool
    source: str  # "people" or "judge", if the name does not say so
    standing: str  # what is known of a judge
    mixed_up: str  # of an evaluator of labels

    @property
    def standing_begins(self) -> str:
        """For a narrow card: "judge only"."""
        return self.standing.partition(",")[0]


def run_page(request: HttpRequest, selection: RunSelection, may: Collection[str]) -> Context:
    """The context of the page; `may` has the actions allowed to this user (see `frame`)."""
    run, scorings = selection.run, list(selection.scorings)
    figures = summaries.load_many(scorings)
    rows, head = run_rows.rows(request, selection), run_head(run)
    told = _standings([scoring.evaluator_version for scoring in scorings])
    return {
        **rows,
        **head,
        "api_call": curl(request, selection.api_address()),
        "reading_offers": reading_steps.offers(run.experiment, [run]) if "write" in may else [],
        "can_score": "run" in may and run.status not in (Run.Status.DRAFT, Run.Status.FAILED),
        "has_more": not head["importing"] and ("run" in may or "remove" in may),
        "selection": selection,
        "scorings": scorings,
        "averages": [
            _Averaging(request, scoring, selection, told[scoring.evaluator_version_id]).average(
                figures[scoring.pk]
            )
            for scoring in scorings
        ],
        "segments": _segments(request, selection, figures, head["read_now"]),
        "early": None if scorings else following.early_of([run]).get(run.pk),
        "errors": sum(figures[scoring.pk]["counts"]["error"] for scoring in scorings),
        **run_filters.bar(request, selection, figures),
    }


def _standings(versions: Collection[EvaluatorVersion]) -> dict[int, str]:
    """By version of an evaluator, what is known of a judge, or that labels are weighed; empty of all others."""
    known = standing.of(versions)
    told = {v.pk: standing.is_judge(v) or known.get(v.pk) == "weighted" for v in versions}
    return {v.pk: standing.in_words(known.get(v.pk), v) if told[v.pk] else "" for v in versions}


def run_head(run: Run) -> Context:
    importing = run.imports.first() if run.status == Run.Status.DRAFT else None
    if run.status == Run.Status.DRAFT and importing is None:
        run.refresh_from_db()  # its import may have ended, and started it, since it was read
    every = list(experiments.runs_of(run.experiment))
    shown_runs = experiments.newest_by_variant(every, run.experiment.baseline)
    read_now = waiting.read_now(run)
    return {
        "run": run,
        "experiment": run.experiment,
        "importing": importing,
        "copying": edited_outputs.of_experiment(run.experiment),
        "is_going": importing is not None or run.status in Run.OPEN or bool(read_now),
        "read_now": read_now,
        "progress": runs.progress(run) if run.status in (*Run.OPEN, Run.Status.CANCELLED) else None,
        "asked_examples": coverage.count(run),
        "stopped_early_of": states.stopped_early([run]).get(run.pk),
        "duration": run.took,
        "other_runs": [shown_run for shown_run in shown_runs if shown_run.pk != run.pk],
        "is_repeated": sum(
            other.for_gate == run.for_gate and about.identity(other) == about.identity(run) for other in every
        )
        > 1,
        "facts": about.facts(run),
        "sent": sent.judged([run])[0] if run.for_gate else None,
        "usage": usage.of_run(run),
        "failed_answers": _failed_answers(run),
        **_ended(run),
        "asks_money": run.status == Run.Status.DRAFT and allowances.asks_money(run),
        "waiting": waiting.of(run.experiment, [run]),
    }


def _ended(run: Run) -> Context:
    """Its state by its own answers, and why it failed, both counted now; its answers of how many."""
    launch_state = states.of_runs([run]).get(run.pk) if run.status == Run.Status.FAILED else None
    if launch_state is None:
        return {"state": run.status, "error": run.error, "answered_of": None}
    of = next(one for one in launch_state.run_states if one.run.pk == run.pk)
    return {
        "state": launch_state.word(of),
        "error": launch_state.error(run),
        "answered_of": of.progress.total,
    }


def _failed_answers(run: Run) -> int:
    """The number of failed answers of a generated run that can be retried."""
    if run.status != Run.Status.COMPLETED or not hasattr(run, "generation"):
        return 0
    return run.outputs.filter(error__isnull=False).count()


# ---- averages ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Averaging:
    """Builds an `Average`, whose links replace the filters of the page."""

    request: HttpRequest
    scoring: Scoring
    selection: RunSelection
    standing: str

    def address(self, **query: Any) -> str:
        """The address of the rows by this evaluator, under the filters of the page."""
        version = self.selection.version if self.scoring is self.selection.scoring else None
        chosen = {"evaluator": self.scoring.evaluator_version.evaluator_id, "version": version}
        return address(self.request, **(RESET | {"order": None} | chosen | query))

    def alone(self, word: str) -> str:
        """The address of the rows in one state, without other filters, so that they match the linked number."""
        parameters = as_parameters(ScoreFilter(self.scoring, **CONDITIONS[word]))
        return self.address(**(run_filters.no_conditions(self.request) | parameters))

    def average(self, summary: Figures) -> Average:
        recipe = Recipe.from_version(self.scoring.evaluator_version)
        counts = summary["counts"]
        value, interval = summaries.compared(in_mean.shown(summary, recipe), recipe)
        outcomes = self._outcomes(recipe, summary)
        return Average(
            scoring=self.scoring,
            name=self.scoring.evaluator_version.evaluator.name,
            address=self.address(),
            summary=summary,
            lower_is_better=recipe.direction == "minimize",
            has_statistics=recipe.has_statistics,
            is_whole=summary["n"] == counts["scored"] == counts["total"],
            headline=None if recipe.headline is None else recipe.statistic(recipe.headline).title,
            value=value,
            interval=interval,
            decimals=3 - sum(abs(value or 0) >= size for size in (10, 100)),
            is_share=recipe.is_per_cent,
            spread="" if outcomes else _spread(summary, is_whole=bool(recipe.kind.unit)),
            histogram=_proportion(outcomes) if outcomes else self._histogram(recipe, summary),
            outcomes=outcomes,
            states=self._states(counts),
            errors=counts["error"],
            errors_address=self.alone("errors"),
            is_people=self.scoring.evaluator_version.kind == people.key,
            source=run_rows.source_of(self.scoring.evaluator_version),
            standing=self.standing,
            mixed_up=mixed_up(self.scoring, recipe, counts["total"]),
        )

    def _states(self, counts: dict[str, int]) -> list[Segment]:
        missing = counts["missing_expected"] + counts["missing_actual"]
        states = {"scored": counts["scored"], "not found": counts["not_found"], "missing": missing}
        states |= {"unmapped": counts["unmapped"], "not sent": counts["not_sent"]}
        states |= {"no verdict": counts.get("no_verdict", 0)}
        return [
            Segment(told(word, counts), n, self.alone(word))
            for word, n in states.items()
            if n or word == "scored"
        ]

    def _outcomes(self, recipe: Recipe, summary: Figures) -> list[Segment]:
        if not recipe.is_share or not summary["n_judged"]:
            return []
        judged, passed = summary["n_judged"], summary["n_passed"]
        numbers = {"pass": passed, "fail": judged - passed, "neither": summary["n"] - judged}
        return [Segment(word, n, self.alone(word)) for word, n in numbers.items() if n or word != "neither"]

    def _histogram(self, recipe: Recipe, summary: Figures) -> SafeString:
        if not summary.get("histogram") or not summary["n"]:
            return SafeString("")
        all_bins = self.address(**as_parameters(ScoreFilter(self.scoring)))
        return histogram_links.drawn(self.scoring, recipe, summary, all_bins)


def _proportion(outcomes: Sequence[Segment]) -> SafeString:
    passed, failed = outcomes[:2]
    return charts.proportion(passed.count, failed.count, (passed.address, failed.address))


# ---- counts to filter by -----------------------------------------------------------------------------------


def _segments(
    request: HttpRequest, selection: RunSelection, figures: dict[int, Figures], read_now: Collection[int]
) -> list[Segment]:
    if selection.scoring is None:
        return _by_answers(request, selection)
    summary = figures[selection.scoring.pk]
    counts, judged = _counts(selection, summary), summary["n_judged"] > 0
    shown = {"all": True, "fail": judged, "pass": judged, "missing": True, "errors": True}
    shown |= {
        word: counts[word] > 0 for word in ("not found", "not sent", "no verdict", "unmapped", "sealed")
    }
    shown["not sent"] &= selection.scoring.evaluator_version_id not in read_now  # they come
    shown |= {"neither": judged and counts["neither"] > 0, selection.show: True}
    return [
        Segment(
            told(word, summary["counts"]),
            counts[word],
            address(request, **selection.segment(word), **RESET),
            word == selection.show,
        )
        for word in CONDITIONS
        if shown.get(word)
    ]


def opens_on_answers(selection: RunSelection) -> bool:
    """Whether the page shows the answers that came first: of a run that stopped, most rows are empty."""
    run = selection.run
    is_stopped = selection.scoring is None and run.status in following.STOPPED
    return is_stopped and run.outputs.filter(text__isnull=False).exists()


def _by_answers(request: HttpRequest, selection: RunSelection) -> list[Segment]:
    """What a run without scores can be narrowed to: answers that came, failed, or lack."""
    counts, chosen = answered.counts(selection.run), selection.filters.answers
    to_all = "all" if opens_on_answers(selection) else None
    every = Segment("all", sum(counts.values()), address(request, answers=to_all, **RESET), not chosen)
    return [every] + [
        Segment(word, number, address(request, answers=word, **RESET), word == chosen)
        for word, number in counts.items()
        if len(counts) > 1 or word == chosen
    ]


def _counts(selection: RunSelection, summary: Figures) -> dict[str, int]:
    """The number of rows by condition, under the other filters; without filters, from the summary."""
    if (scoring := selection.scoring) and (selection.without_verdict() or seal.hidden([scoring])):
        return _counts_under_conditions(selection, scoring)
    by_status, passed = summary["counts"], summary["n_passed"]
    return {
        "all": by_status["total"],
        "fail": summary["n_judged"] - passed,
        "pass": passed,
        "neither": summary["n"] - summary["n_judged"],
        "scored": by_status["scored"],
        "missing": by_status["missing_expected"] + by_status["missing_actual"],
        "not found": by_status["not_found"],
        "not sent": by_status["not_sent"],
        "no verdict": by_status.get("no_verdict", 0),
        "unmapped": by_status["unmapped"],
        "errors": by_status["error"],
        "sealed": 0,
    }


def _counts_under_conditions(selection: RunSelection, scoring: Scoring) -> dict[str, int]:
    key = _key(selection, scoring)
    if key and (found := counts_of_long_runs.get(key)):
        return found
    column = seal.load([scoring], coverage.positions(selection.run))[scoring.pk]
    candidates = selection.candidates if selection.without_verdict() else True
    counts = {
        word: int(np.count_nonzero(ScoreFilter(scoring, **condition).matching(column) & candidates))
        for word, condition in CONDITIONS.items()
    }
    if key:
        counts_of_long_runs.put(key, counts)
    return counts


def _key(selection: RunSelection, scoring: Scoring) -> Key | None:
    """What these counts depend on, while nothing can change them; None for short runs."""
    conditions = selection.without_verdict()
    scorings = [scoring, *conditions.scorings]
    is_short = len(coverage.positions(selection.run)) < LONG
    if is_short or conditions.search or any(one.summary is None for one in scorings) or seal.hidden(scorings):
        return None
    experiment = selection.run.experiment
    stamps = tuple(one.stamp for one in scorings)
    return experiment.dataset_id, experiment.dataset_version, stamps, conditions.key


def _spread(summary: Figures, *, is_whole: bool) -> str:
    """The median, the ends of the middle 80 %, and all; whole scores have a decimal only between two of them."""
    low, median, high = summary.get("min"), summary.get("median"), summary.get("max")
    p10, p90 = summary.get("p10"), summary.get("p90")
    if median is None:
        return ""

    def told(value: float | None) -> str:
        return fixed(value, int((value or 0) % 1 > 0) if is_whole else 3)

    tenths = "" if p10 is None else f"a tenth up to {told(p10)}, a tenth from {told(p90)}, "
    return f"median {told(median)}, {tenths}all from {told(low)} to {told(high)}"
