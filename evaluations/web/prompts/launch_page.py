"""The context of a launch's page: progress, speed, costs, failures, and each of its runs."""

from dataclasses import dataclass

from django.utils.safestring import SafeString

from evaluations import charts, leases, work_rates
from evaluations.comparisons import overviews
from evaluations.comparisons.overviews import Overview
from evaluations.datasets import bitmaps
from evaluations.evaluators.recipe import Recipe
from evaluations.judges import readings
from evaluations.launches import causes, estimates, following, states, stopping
from evaluations.launches.following import Ranked
from evaluations.launches.states import Cause, LaunchState, Pace, RunState
from evaluations.models import EvaluatorVersion, Interim, Judging, Launch, Run, Scoring
from evaluations.numerals import grouped, plural
from evaluations.prompts import ledger
from evaluations.results.shown import scorings_by_run
from evaluations.scoring import summaries
from evaluations.scoring.summaries import Figures
from evaluations.statistics.confirmation_sentences import online_in_short
from evaluations.statistics.sentences import Part, none_right

from ..comparisons.verdicts import listing
from ..comparisons.verdicts.to_read import to_read
from ..page_tools.calls import curl
from ..page_tools.frame import Context
from ..page_tools.request import HttpRequest
from . import launch_notice

MOST_TOLD = 3  # variants of a launch among others; the table has all
TELLING = 20  # answers that tell how fast others come, of however many


@dataclass(frozen=True)
class RunRow:
    """One run: its answers, their cost, and its scores if it has any.

    `early` are the scores of arriving answers so far.
    """

    run_state: RunState
    state: str
    cost: int | None
    scoring: Scoring | None
    figures: Figures | None
    early: Ranked | None = None
    is_again: bool = False  # stands below another repetition of its variant

    @property
    def run(self) -> Run:
        return self.run_state.run

    @property
    def failed(self) -> int:
        return self.run_state.failed.total()


@dataclass(frozen=True)
class Sequence:
    """The looks at a variant of a launch with early stopping, the last one, and a drawing."""

    variant: str
    baseline: str
    last: Interim
    chart: SafeString


@dataclass(frozen=True)
class Failure:
    """A cause of failures in words, with a remedy; `may_retry` if a completed run failed in this way."""

    cause: Cause
    words: str
    advice: str
    may_retry: bool

    @property
    def more(self) -> int:
        """The failed answers that are not named."""
        return self.cause.count - len(self.cause.examples)


def launch_page(request: HttpRequest, launch: Launch) -> Context:
    # In this order: if no work is left, all answers can be counted.
    pace: Pace | None = states.pace(launch)
    state = states.of_launch(launch)
    pace = pace if state.is_open else None
    is_waiting = state.status == Launch.Status.ESTIMATING and pace is not None and not pace.has_work
    shows_estimate = is_waiting or state.status == Launch.Status.LIMIT
    estimate = estimates.of_launch(launch) if shows_estimate else None
    payable = states.payable(launch, state.progress) if _tells_time(launch, state) else None
    primary = launch.experiment.primary
    rows = _rows(launch, state, is_waiting)
    judges = readings.of(launch.budget)
    is_read = any(judge.status == Judging.Status.RUNNING for judge in judges)
    notice = launch_notice.of_launch(launch, state, estimate, is_waiting=is_waiting)
    return {
        "launch": launch,
        "experiment": launch.experiment,
        "launch_state": state,
        "took": _took(launch, state),
        "is_going": (state.is_open and not is_waiting) or is_read,
        "is_waiting": is_waiting,
        "is_pilot": state.status == Launch.Status.ESTIMATING,
        "is_sample": launch.size < _possible(launch),
        "pace": pace,
        "time_note": _time_note(payable, state),
        "seconds_left": pace.seconds_left(payable) if pace and payable is not None else None,
        "made_again": states.made_again(launch),
        "without_answer": 0 if state.is_open else states.without_answer(launch),
        "cached": states.cached(launch),
        "rows": rows,
        "stops_one": state.is_generating and not is_waiting and len(rows) > 1,
        "is_cost_unknown": not launch.budget.committed
        and (any(row.cost is None for row in rows) or ledger.has_unpriced(launch.budget)),
        "unknown_cost": ledger.unknown_of(launch.budget),
        "primary": primary.name if primary else "",
        "primary_version": _primary_version(launch, rows),
        "sequences": _sequences(launch, state),
        "failures": [_failure(cause, state) for cause in states.causes(state)],
        "may_retry": any(run_state.failed for run_state in state.completed),
        **_told(_verdict(launch, state), {run_state.run.pk for run_state in state.run_states}),
        "estimate": estimate,
        "notice": notice,
        "judges": judges,
        "may_cancel": state.is_generating or is_read,
        "may_continue_judges": not notice.role and any(judge.is_stopped for judge in judges),
        "api_call": curl(request, f"/api/v1/launches/{launch.pk}/"),
    }


def _took(launch: Launch, state: LaunchState) -> float | None:
    """The seconds from its start to the end of its last run."""
    begun, ended = launch.started_at, state.ended_at
    return max(0.0, (ended - begun).total_seconds()) if begun and ended else None


def _tells_time(launch: Launch, state: LaunchState) -> bool:
    """Whether enough answers came to tell what the others take, and what they cost."""
    done = state.progress.total - state.progress.calls_left
    is_enough = done >= TELLING or done * work_rates.PARTS >= state.progress.total
    return is_enough and leases.now() - launch.created_at >= work_rates.AFTER


def _time_note(payable: int | None, state: LaunchState) -> str:
    """What the time left is for: the scores are no part of it, nor are answers that cannot be paid."""
    if payable is None:
        return "known after some answers"
    if payable == (left := state.progress.calls_left):
        return "scores follow"
    return f"until the limit, which pays for about {grouped(payable)} of the {plural(left, 'answer')} left"


def _primary_version(launch: Launch, rows: list[RunRow]) -> EvaluatorVersion | None:
    """The version by which arriving answers are scored, if some are shown."""
    has_early = any(row.early is not None for row in rows)
    return following.primary_version(launch.experiment) if has_early else None


def _verdict(launch: Launch, state: LaunchState) -> listing.Row | None:
    if state.status not in (Launch.Status.COMPLETED, Launch.Status.DECIDED):
        return None
    return listing.table(overviews.load([launch.experiment])).rows[0]


def _told(row: listing.Row | None, asked: set[int]) -> Context:
    """The verdict, and whether it is confirmed; if by it nothing is right at all, this too, and why.

    Where the experiment has variants besides those `asked` here, first what it says of these.
    """
    sentence = row.overview.comparison.sentence if row and row.overview.comparison else None
    caution = none_right(sentence.all_facts) if sentence and sentence.all_facts else []
    return {
        "verdict": row,
        "of_asked": _of_asked(row.overview, asked) if row and sentence and not caution else [],
        "confirmation": online_in_short(found) if sentence and (found := sentence.confirmation) else [],
        "caution": caution,
        "to_read": to_read(row.overview.shown) if row and caution else [],
    }


def _of_asked(overview: Overview, asked: set[int]) -> list[list[Part]]:
    """What the experiment says of these runs against its baseline, in its order, unless all of its runs are asked."""
    comparison = overview.comparison
    if comparison is None or {run.pk for run in overview.shown} <= asked:
        return []
    runs = [side.run for side in comparison.sides.others if side.run.pk in asked]
    return [told for run in runs[:MOST_TOLD] if (told := comparison.sentence.of_variant(run))]


def _possible(launch: Launch) -> int:
    """The number of examples that the launch could ask at most."""
    return launch.experiment.examples.count() if launch.rows is None else len(bitmaps.positions(launch.rows))


def _rows(launch: Launch, launch_state: LaunchState, is_waiting: bool) -> list[RunRow]:
    costs = states.costs(launch)
    scorings = scorings_by_run([run_state.run for run_state in launch_state.run_states])
    primary = launch.experiment.primary_id
    chosen = {
        pk: next((scoring for scoring in of_run if scoring.evaluator_version.evaluator_id == primary), None)
        for pk, of_run in scorings.items()
    }
    figures = summaries.load_many([scoring for scoring in chosen.values() if scoring])
    by_variant: dict[str, list[RunState]] = {}
    for one in launch_state.run_states:
        by_variant.setdefault(one.run.variant, []).append(one)
    # in the order of the experiment's page: the baseline first
    in_order = sorted(by_variant, key=lambda variant: variant != launch.experiment.baseline)
    return [
        RunRow(
            run_state,
            _state(run_state, launch_state, is_waiting),
            costs.get(run_state.run.pk, 0),
            scoring,
            figures[scoring.pk] if scoring else None,
            None if scoring else _early(run_state.run),
            is_again=number > 0,
        )
        for variant in in_order
        for number, run_state in enumerate(by_variant[variant])
        for scoring in [chosen.get(run_state.run.pk)]
    ]


def _early(run: Run) -> Ranked | None:
    scores = following.scores_of(run)
    return scores if scores.n else None


def _sequences(launch: Launch, launch_state: LaunchState) -> list[Sequence]:
    """The looks at each variant."""
    by_run: dict[int, list[Interim]] = {}
    for interim in stopping.sequence(launch):
        by_run.setdefault(interim.run_id, []).append(interim)
    version = EvaluatorVersion.objects.filter(pk=launch.stop["evaluator"]).first() if by_run else None
    if version is None:
        return []
    is_low = Recipe.from_version(version).direction == "minimize"
    names = {run_state.run.pk: run_state.run.variant for run_state in launch_state.run_states}
    margin, baseline = launch.stop["margin"], launch.stop["baseline"]
    return [
        Sequence(
            names[pk],
            baseline,
            looks[-1],
            charts.sequence(looks, launch.size, margin, lower_is_better=is_low),
        )
        for pk, looks in by_run.items()
    ]


def _state(run_state: RunState, launch_state: LaunchState, is_waiting: bool) -> str:
    """The state of a run in a word: "waiting" after a pilot, else that of its answers."""
    return "waiting" if is_waiting else launch_state.word(run_state)


def _failure(cause: Cause, launch_state: LaunchState) -> Failure:
    words, advice = causes.in_words(cause.code)
    return Failure(
        cause, words, advice, any(run_state.failed[cause.code] for run_state in launch_state.completed)
    )
