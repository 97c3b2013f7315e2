"""The context of a run's page: averages, counts to filter by, and the selected rows."""

from collections.abc import Collection, Hashable
from typing import TypeAlias

import numpy as np

from evaluations.evaluators.recipe import Recipe
from evaluations.experiments import about, edited_outputs, experiments, reading_steps, runs
from evaluations.gates import sent
from evaluations.judges import allowances, at_work, waiting
from evaluations.labelling import seal
from evaluations.launches import following, states, usage
from evaluations.models import Run, Scoring
from evaluations.process_cache import ProcessCache
from evaluations.results import answered
from evaluations.results.filters import ScoreFilter
from evaluations.scoring import coverage, in_mean, summaries
from evaluations.scoring.summaries import Figures

from ..page_tools.calls import curl
from ..page_tools.frame import Context
from ..page_tools.paging import RESET, address
from ..page_tools.request import HttpRequest
from ..page_tools.url_values import Segment
from . import filters as run_filters
from . import rows as run_rows
from .averages import averages
from .selection import CONDITIONS, RunSelection, told

LONG = 2_000_000  # examples; those of fewer are counted in less time than it takes to show them
Key: TypeAlias = tuple[Hashable, ...]
counts_of_long_runs: ProcessCache[Key, dict[str, int]] = ProcessCache("counts of long runs", 1_000)


def run_page(request: HttpRequest, selection: RunSelection, may: Collection[str]) -> Context:
    """The context of the page; `may` has the actions allowed to this user (see `frame`)."""
    run, scorings = selection.run, list(selection.scorings)
    figures = summaries.load_many(scorings)
    rows, head = run_rows.rows(request, selection), run_head(run)
    tiles = averages(request, selection, figures)
    return {
        **rows,
        **head,
        "api_call": curl(request, selection.api_address()),
        "reading_offers": reading_steps.offers(run.experiment, [run]) if "write" in may else [],
        "can_score": "run" in may and run.status not in (Run.Status.DRAFT, Run.Status.FAILED),
        "has_more": not head["importing"] and ("run" in may or "remove" in may),
        "selection": selection,
        "scorings": scorings,
        "averages": tiles,
        "sealed": next((tile.sealed.count for tile in tiles if tile.is_chosen and tile.sealed), 0),
        "segments": _segments(request, selection, figures, head["read_now"]),
        "early": None if scorings else following.early_of([run]).get(run.pk),
        "errors": sum(figures[scoring.pk]["counts"]["error"] for scoring in scorings),
        **run_filters.bar(request, selection, figures),
    }


def run_head(run: Run) -> Context:
    importing = run.imports.first() if run.status == Run.Status.DRAFT else None
    if run.status == Run.Status.DRAFT and importing is None:
        run.refresh_from_db()  # its import may have ended, and started it, since it was read
    every = list(experiments.runs_of(run.experiment))
    shown_runs = experiments.newest_by_variant(every, run.experiment.baseline)
    judges = at_work.of_runs([run])
    return {
        "run": run,
        "experiment": run.experiment,
        "importing": importing,
        "copying": edited_outputs.of_experiment(run.experiment),
        "is_going": importing is not None or run.status in Run.OPEN or bool(judges),
        "judges_at_work": judges,
        "read_now": {judge.version.pk for judge in judges},
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


# ---- counts to filter by -----------------------------------------------------------------------------------


def _segments(
    request: HttpRequest, selection: RunSelection, figures: dict[int, Figures], read_now: Collection[int]
) -> list[Segment]:
    if selection.scoring is None:
        return _by_answers(request, selection)
    summary = figures[selection.scoring.pk]
    recipe = Recipe.from_version(selection.scoring.evaluator_version)
    counts = _counts(selection, recipe, summary)
    judged = in_mean.with_references(summary, recipe)["n_judged"] > 0
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


def _counts(selection: RunSelection, recipe: Recipe, summary: Figures) -> dict[str, int]:
    """The number of rows by condition, under the other filters; without filters, from the summary."""
    if (scoring := selection.scoring) and (selection.without_verdict() or seal.hidden([scoring])):
        return _counts_under_conditions(selection, scoring)
    by_status = summary["counts"]
    return in_mean.verdicts(summary, recipe) | {
        "all": by_status["total"],
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
