"""The states of launches: answers, failures, speed, and the reason for waiting."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Case, Count, Exists, F, Max, OuterRef, Q, QuerySet, Sum, TextField, Value, When
from django.db.models.functions import StrIndex, Substr

from evaluations import leases
from evaluations.evaluators.pacing import limit_of
from evaluations.models import Answer, Chunk, Generation, Job, Launch, Output, Pulse, Run, Spending
from evaluations.scoring import coverage

from .causes import counted, told

RECENT = timedelta(seconds=15)
PATIENCE = timedelta(seconds=10)  # in which a worker comes, as a rule; then a launch waits for one
MOST_CALLS = 600  # the newest calls, from which the speed is computed
TOO_MANY = "too_many_failures"  # the code of launches of which too many answers failed
NOT_BEGUN = "not begun"
STOPPED = "stopped"
ENDED = (Launch.Status.COMPLETED, Launch.Status.DECIDED)
# the code of an error such as "cut" or "timeout: no answer within 120 s"
CODE = Case(
    When(colon=0, then=F("error")), default=Substr("error", 1, F("colon") - 1), output_field=TextField()
)


@dataclass(frozen=True)
class Progress:
    """The number of answers, failed ones included."""

    done: int
    total: int

    @property
    def calls_left(self) -> int:
        return self.total - self.done

    @property
    def asked(self) -> tuple[int, int]:
        """How many answers there are to be, and how many of them were not asked for."""
        return self.total, self.calls_left


@dataclass(frozen=True)
class RunState:
    """One run of a launch; `failed` counts its failed answers by the code of their error."""

    run: Run
    progress: Progress
    failed: Counter[str] = field(default_factory=Counter)

    @property
    def answered(self) -> int:
        return max(0, self.progress.done - self.failed.total())


@dataclass(frozen=True)
class LaunchState:
    """The progress of a launch."""

    run_states: list[RunState]
    status: str

    @property
    def runs(self) -> list[int]:
        return [run_state.run.pk for run_state in self.run_states]

    @property
    def completed(self) -> list[RunState]:
        return [run_state for run_state in self.run_states if run_state.run.status == Run.Status.COMPLETED]

    @property
    def progress(self) -> Progress:
        return Progress(
            sum(run_state.progress.done for run_state in self.run_states),
            sum(run_state.progress.total for run_state in self.run_states),
        )

    @property
    def answered(self) -> int:
        return sum(run_state.answered for run_state in self.run_states)

    @property
    def is_open(self) -> bool:
        """Whether a run is being answered or scored, or waits for either."""
        return any(run_state.run.status in Run.OPEN for run_state in self.run_states)

    @property
    def ended_at(self) -> datetime | None:
        """The end of the last run; None while one is in progress."""
        ended = [run_state.run.finished_at for run_state in self.run_states if run_state.run.finished_at]
        return max(ended) if len(ended) == len(self.run_states) > 0 and not self.is_open else None

    @property
    def is_generating(self) -> bool:
        return any(run_state.run.status == Run.Status.GENERATING for run_state in self.run_states)

    @property
    def errors(self) -> Counter[str]:
        return sum((run_state.failed for run_state in self.run_states), Counter[str]())

    @property
    def failed(self) -> int:
        return self.errors.total()

    def word(self, of: RunState) -> str:
        """The state of one run by its own answers: the end of its launch made it fail only if an answer of it did.

        "stopped" where it has answers or its launch reached a limit, "not begun" if nothing of it was asked, but
        something of another one; a run with all answers is complete.
        """
        if of.run.status == Run.Status.CANCELLED and self.status == Launch.Status.LIMIT:
            return STOPPED
        if of.run.status != Run.Status.FAILED:
            return of.run.status
        if of.answered == of.progress.total:
            return Run.Status.COMPLETED
        if of.answered:
            return STOPPED
        return NOT_BEGUN if not of.progress.done and self.progress.done else Run.Status.FAILED

    @property
    def shown(self) -> str:
        """Its status for people: a launch that failed has stopped, as long as it has answers."""
        return STOPPED if self.status == Launch.Status.FAILED and self.answered else self.status

    @property
    def to_ask(self) -> int:
        """How many answers are asked for when a launch that failed continues."""
        return self.progress.calls_left + self.failed

    def error(self, run: Run) -> dict[str, Any] | None:
        """Why a run ended, with the failed answers counted now: some arrive when the launch has stopped already."""
        of = next((one for one in self.run_states if one.run.pk == run.pk), None)
        stored: dict[str, Any] | None = run.error
        if of is None or not stored or stored.get("code") != TOO_MANY:
            return stored
        if of.failed:
            return {**stored, "message": counted(of.failed, *of.progress.asked)}
        whole = f"Its launch stopped: {counted(self.errors, *self.progress.asked)}" if self.failed else ""
        return {**stored, "message": whole or told(stored)}


def of_launch(launch: Launch) -> LaunchState:
    return of_launches([launch])[launch.pk]


def of_launches(launches: Sequence[Launch]) -> dict[int, LaunchState]:
    """The progress of many launches in three queries; outputs are counted only for incomplete runs."""
    live = Run.objects.filter(generation__launch__in=launches, deleted_at=None)
    runs = list(live.select_related("generation").order_by("pk"))
    failed_by_run = failures(runs)
    counted = _counted([run for run in runs if _may_lack(run)])
    run_states: dict[int, list[RunState]] = {launch.pk: [] for launch in launches}
    sizes = {launch.pk: launch.size for launch in launches}
    for run in runs:
        done = counted.get(run.pk, 0) if _may_lack(run) else run.output_count + failed_by_run[run.pk].total()
        total = coverage.count(run) or sizes[run.generation.launch_id]
        progress = Progress(min(done, total), total)
        run_states[run.generation.launch_id].append(RunState(run, progress, failed_by_run[run.pk]))
    return {
        launch.pk: LaunchState(run_states[launch.pk], _status(launch, run_states[launch.pk]))
        for launch in launches
    }


def of_runs(runs: Sequence[Run]) -> dict[int, LaunchState]:
    """The state of the launch of each run that one asked, by the id of the run."""
    launches = Launch.objects.filter(generations__run__in=runs).distinct()
    found = of_launches(list(launches)).values()
    return {state.run.pk: launch_state for launch_state in found for state in launch_state.run_states}


def errors(runs: Sequence[Run]) -> dict[int, dict[str, Any] | None]:
    """Why each of these runs ended, in the words of today."""
    failed = [run for run in runs if run.error and run.error.get("code") == TOO_MANY]
    known = of_runs(failed) if failed else {}
    return {run.pk: known[run.pk].error(run) if run.pk in known else run.error for run in runs}


def _may_lack(run: Run) -> bool:
    """Whether answers may have been stored since the outputs were last counted."""
    return run.status in (Run.Status.GENERATING, Run.Status.CANCELLED, Run.Status.FAILED)


def _counted(runs: Sequence[Run]) -> dict[int, int]:
    outputs = Output.objects.filter(run__in=runs).order_by()
    return dict(outputs.values_list("run_id").annotate(Count("position")))


def failed(cause: str = "") -> QuerySet[Output]:
    """Failed answers with the `code` of their error; with a `cause`, only those with this code."""
    failures = Output.objects.filter(error__isnull=False)
    coded = failures.annotate(colon=StrIndex("error", Value(":"))).annotate(code=CODE)
    return coded.filter(code=cause) if cause else coded


def failures(runs: Sequence[Run]) -> dict[int, Counter[str]]:
    """Failed answers by run and code, counted by the database."""
    coded: QuerySet[Any] = failed().filter(run__in=runs).order_by()  # has more than the fields of its model
    counts: dict[int, Counter[str]] = {run.pk: Counter() for run in runs}
    for run_id, code, count in coded.values_list("run_id", "code").annotate(Count("position")):
        counts[run_id][code] += count
    return counts


def _status(launch: Launch, run_states: Sequence[RunState]) -> str:
    """The status; `completed` or `decided` when everything is generated and scored.

    The runs are read after the launch, which may have stopped in between: then they say how.
    """
    if any(run_state.run.status in Run.OPEN for run_state in run_states):
        return Launch.Status.RUNNING if launch.status in ENDED else launch.status
    if launch.status != Launch.Status.RUNNING:
        return launch.status
    ended = {run_state.run.status for run_state in run_states}
    if Run.Status.FAILED in ended:
        return Launch.Status.FAILED
    return Launch.Status.CANCELLED if Run.Status.CANCELLED in ended else Launch.Status.COMPLETED


def stopped_early(runs: Sequence[Run]) -> dict[int, int]:
    """For runs that stopped early, by id, the number of examples they would have been asked."""
    counts = {run.pk: coverage.count(run) or 0 for run in runs if run.is_sample}
    if not counts:
        return {}
    stopping = Generation.objects.filter(run__in=counts, launch__stop__isnull=False)
    sizes = stopping.values_list("run_id", "launch__size")
    return {run_id: size for run_id, size in sizes if counts[run_id] < size}


def made_again(launch: Launch) -> int:
    """The calls that failed at first and were made again; nothing of them is left in the answers."""
    answers = Answer.objects.filter(run__generation__launch=launch, attempts__gt=1).order_by()
    more: int = answers.aggregate(more=Sum(F("attempts") - 1, default=0))["more"]
    return more


def cached(launch: Launch) -> int:
    """The answers that were taken from the cache, without a call."""
    return Answer.objects.filter(run__generation__launch=launch, attempts=0).count()


def without_answer(launch: Launch) -> int:
    """The ended calls of a launch of which no answer is left here: it was asked for again, or a cancel cut it off.

    0 where evaluators pay from the budget too, because then it counts their calls.
    """
    if launch.budget.allowances.exists():
        return 0
    answers = Answer.objects.filter(run__generation__launch=launch).order_by()
    made: int = answers.aggregate(made=Sum("attempts", default=0))["made"]
    under_way = Spending.objects.filter(budget=launch.budget_id, state=Spending.State.RESERVED).count()
    return max(0, launch.budget.calls - under_way - made)


# ---- cost and failures of one launch -------------------------------------------------------------------------


def costs(launch: Launch) -> dict[int, int | None]:
    """The cost of each run's answers, by the run's id; None if none of them has a known cost but refused calls."""
    answers = Answer.objects.filter(run__generation__launch=launch, attempts__gt=0).order_by()
    summed = answers.values_list("run_id").annotate(
        known=Sum("cost"), unknown=Count("position", filter=Q(cost=None))
    )
    return {run_id: cost if cost or not without_cost else None for run_id, cost, without_cost in summed}


@dataclass(frozen=True)
class Cause:
    """Answers that failed in the same way; `examples` are some of them, as pairs of run and position."""

    code: str
    count: int
    message: str
    examples: list[tuple[Run, int]]


def causes(state: LaunchState, maximum: int = 3) -> list[Cause]:
    """Failures by cause, the most frequent first."""
    runs = {run_state.run.pk: run_state.run for run_state in state.run_states}
    return [_cause(runs, code, count, maximum) for code, count in state.errors.most_common()]


def _cause(runs: dict[int, Run], code: str, count: int, maximum: int) -> Cause:
    ordered = failed(code).filter(run__in=runs).order_by("run_id", "position")
    rows = list(ordered.values_list("run_id", "position", "error")[:maximum])
    message = (rows[0][2] or "").partition(": ")[2] if rows else ""
    return Cause(code, count, message, [(runs[run_id], position) for run_id, position, _ in rows])


# ---- speed ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pace:
    """`rate` is in answers per second, None without any.

    Of the recent `calls`, `refused` ones came back without an answer because the server asks for fewer (`is_limited`)
    or has errors; for `pause` more seconds the server asked for no calls. `has_work`: calls are still to be made;
    `waits`: no worker has made them for a while.
    """

    rate: float | None
    calls: int
    refused: int
    in_flight: int
    has_work: bool
    waits: bool
    is_limited: bool
    pause: float

    def seconds_left(self, calls: int) -> float | None:
        return calls / self.rate if self.rate else None


def pace(launch: Launch) -> Pace:
    """The pace, from the last seconds of the ledger."""
    now = leases.now()
    newest = Spending.objects.filter(budget=launch.budget_id).order_by("-pk")[:MOST_CALLS]
    recent = list(newest.values_list("state", "settled_at", "tokens_in", "created_at"))
    recent_calls = [(state, at, tokens) for state, at, tokens, _ in recent if at and at > now - RECENT]
    # An answer that was refused before it was generated has no tokens.
    refused = sum(1 for state, _, tokens in recent_calls if state == Spending.State.SETTLED and not tokens)
    answered = len(recent_calls) - refused
    span = (now - min(at for _, at, _ in recent_calls)).total_seconds() if recent_calls else 0.0
    chunks = Chunk.objects.filter(job__run__generation__launch=launch, job__state=Job.State.OPEN)
    opened = chunks.aggregate(at=Max("job__created_at"))["at"]
    begun = [begun_at for *_, begun_at in recent[:1]]
    has_work = opened is not None
    limited_at = _limited_at(launch)
    return Pace(
        rate=answered / max(span, 1.0) if answered else None,
        calls=len(recent_calls),
        refused=refused,
        in_flight=sum(1 for state, *_ in recent if state == Spending.State.RESERVED),
        has_work=has_work,
        waits=opened is not None
        and max([opened, *begun]) < now - PATIENCE
        and not chunks.filter(state=Chunk.State.LEASED).exists(),
        is_limited=limited_at is not None and limited_at > now - RECENT,
        pause=max(0.0, (limited_at - now).total_seconds()) if limited_at else 0.0,
    )


def payable(launch: Launch, progress: Progress) -> int:
    """How many of the answers that are left the limits pay for, at the cost of those that came."""
    budget, left = launch.budget, progress.calls_left
    if budget.max_calls is not None:
        left = min(left, max(0, budget.max_calls - budget.calls))
    # those under way count with their worst cases until they have come
    under_way = Spending.objects.filter(budget=budget, state=Spending.State.RESERVED)
    reserved = under_way.aggregate(calls=Count("pk"), worst=Sum("worst", default=0))
    spent, calls = budget.committed - reserved["worst"], budget.calls - reserved["calls"]
    if budget.limit and spent > 0 and calls > 0:
        left = min(left, int((budget.limit - spent) * calls / spent))
    return max(0, left)


def is_pilot_done() -> Q:
    """The runs of launches that have run their pilot and wait until a person continues them."""
    launch = OuterRef("generation__launch")
    work = Chunk.objects.filter(job__run__generation__launch=launch, job__state=Job.State.OPEN)
    return Q(~Exists(work), generation__launch__status=Launch.Status.ESTIMATING)


def _limited_at(launch: Launch) -> datetime | None:
    """When a server last asked for fewer calls, or until when it asked for none; None if it did neither."""
    servers = launch.generations.values_list("connection", flat=True).distinct()
    pulses = Pulse.objects.filter(name__in=[limit_of(pk) for pk in servers])
    newest: datetime | None = pulses.aggregate(Max("at"))["at__max"]
    return newest
