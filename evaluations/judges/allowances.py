"""Money that is named with a run or its launch, for judges that read the answers as soon as they are complete.

A launch pays answers and judges from one budget, so that its limit holds for both. Nothing is asked without an
allowance: the judge's column then waits until somebody names money.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Sum
from django.utils import timezone

from evaluations import kinds
from evaluations.errors import Refusal
from evaluations.experiments import experiments
from evaluations.experiments import runs as running
from evaluations.kinds.judge import pair_judge
from evaluations.launches import launches
from evaluations.models import (
    Allowance,
    Budget,
    Dataset,
    Evaluator,
    EvaluatorVersion,
    Experiment,
    Judging,
    Launch,
    Project,
    Run,
    Verdict,
)

from . import judgings, opponents, progress
from .judgings import Money
from .progress import Progress

STOPPED = (Judging.Status.LIMIT, Judging.Status.CANCELLED, Judging.Status.FAILED)


def judges_of(experiment: Experiment) -> list[EvaluatorVersion]:
    """The judges among the evaluators that score the runs of an experiment."""
    return [version for version in experiments.versions_of(experiment) if version.kind in kinds.JUDGES]


def check(project: Project, dataset: Dataset, judges: Iterable[EvaluatorVersion], money: Money) -> None:
    """Raise `Invalid` unless these judges can be asked with this money."""
    asked = [judgings.asked_version(version) for version in judges]
    judgings.require_askable(project, dataset, asked, money)


def allow(runs: Sequence[Run], judges: Sequence[EvaluatorVersion], budget: Budget) -> None:
    """Let judges read the answers of runs with the money of a budget; raises `Invalid` if one could not be asked."""
    if not runs or not judges:
        return
    check(runs[0].project, runs[0].experiment.dataset, judges, Money.of(budget))
    Allowance.objects.bulk_create(
        [
            Allowance(run=run, evaluator=version.evaluator, budget=budget)
            for run in runs
            for version in judges
        ],
        update_conflicts=True,
        unique_fields=["run", "evaluator"],
        update_fields=["budget"],
    )


def allow_new(added: Sequence[Run], money: Money) -> None:
    """Let the judges of their experiment read new runs as soon as they have their answers, if money is named."""
    judges = judges_of(added[0].experiment) if added and money != Money() else []
    if judges:
        allow(added, judges, judgings.budget_of(added[0].project, money))


def asks_money(draft: Run) -> bool:
    """Whether judges would read a draft, and nobody said what they may spend."""
    return not draft.allowances.exists() and bool(judges_of(draft.experiment))


def start(draft: Run, money: Money) -> Run:
    """Score a draft; judges read it with the money that is named now, else with what was named before."""
    with transaction.atomic():
        allow_new([draft], money)
        return running.start_within_limits(draft)


def allow_launch(launch: Launch) -> None:
    """Let the judges of its experiment read the answers of a new launch, if its budget was named."""
    if Money.of(launch.budget) == Money():
        return
    runs = Run.objects.filter(generation__launch=launch).select_related("experiment__dataset", "project")
    allow(list(runs.order_by("pk")), judges_of(launch.experiment), launch.budget)


def allow_repeated(added: Sequence[Run], money: Money) -> None:
    """Let judges read repetitions that were added to a launch, if they read its other runs, or money was named now."""
    launch = added[0].generation.launch
    if reads(launch) or money != Money():
        allow(added, judges_of(launch.experiment), Budget.objects.get(pk=launch.budget_id))


def reads(launch: Launch) -> bool:
    """Whether judges read the answers of a launch with its money."""
    return Allowance.objects.filter(budget=launch.budget_id, run__deleted_at=None).exists()


# ---- reading ----------------------------------------------------------------------------------------------------


def begin(run: Run) -> None:
    """Start the judges that have money for a run, now that it has its answers.

    Other runs with the same money are looked at as well: they may have waited for the other variant of their pairs.
    """
    for budget in Budget.objects.filter(allowances__run=run).distinct():
        for allowance in _ready(budget):
            if _reads_early(allowance):  # It reads the rest when it has ended.
                continue
            last = _last(allowance)
            if last is None or (allowance.run_id == run.pk and last.status != Judging.Status.RUNNING):
                _read(allowance, budget)


def resume(launch: Launch, budget: int | None = None, max_calls: int | None = None) -> Launch:
    """Continue a launch that stopped, and its judges that did, with new limits if given."""
    with transaction.atomic():
        waiting = stopped(launch.budget)
        if launches.is_stopped(launch) or not waiting:
            launch = launches.resume(launch, budget, max_calls)
        else:
            launches.set_limits(launch, budget, max_calls)
        money = Budget.objects.get(pk=launch.budget_id)
        for allowance in waiting:
            _read(allowance, money)
    launch.refresh_from_db()
    return launch


def cancel(launch: Launch) -> Launch:
    """Make no further calls for a launch, nor for its judges."""
    with transaction.atomic():
        reading = Judging.objects.filter(budget=launch.budget_id, status=Judging.Status.RUNNING)
        ended = [judgings.stop(judging, Judging.Status.CANCELLED) for judging in reading]
        return launch if any(ended) and not launches.is_generating(launch) else launches.cancel(launch)


def stopped(budget: Budget) -> list[Allowance]:
    """The allowances whose judge ended before it had read all answers."""
    return [
        allowance
        for allowance in _ready(budget)
        if (last := _last(allowance)) is not None and last.status in STOPPED
    ]


def _ready(budget: Budget) -> list[Allowance]:
    live = Allowance.objects.filter(budget=budget, run__deleted_at=None, evaluator__deleted_at=None)
    ready = live.filter(run__status__in=opponents.READY).order_by("run", "pk")
    return list(ready.select_related("run__experiment__dataset", "run__project", "evaluator"))


def _last(allowance: Allowance) -> Judging | None:
    """The newest request that this judge reads the run."""
    asked = Judging.objects.filter(run=allowance.run_id, version__evaluator=allowance.evaluator_id)
    return asked.filter(purpose=Judging.Purpose.SCORES).first()


def _reads_early(allowance: Allowance) -> bool:
    early = Judging.objects.filter(run=allowance.run_id, purpose=Judging.Purpose.EARLY)
    return early.filter(version__evaluator=allowance.evaluator_id, status=Judging.Status.RUNNING).exists()


def _read(allowance: Allowance, budget: Budget) -> None:
    """Let a judge read a run. What refuses it is shown as a judging that failed, because nobody waits for an answer."""
    run = allowance.run
    used = {version.evaluator_id: version for version in judges_of(run.experiment)}
    version = used.get(allowance.evaluator_id)
    if version is None:
        return
    against = opponents.baseline_of(run) if version.kind == pair_judge.key else None
    if version.kind == pair_judge.key and against is None:
        return
    try:
        with transaction.atomic():
            judgings.begin([run], [version], run.created_by, budget, against)
    except Refusal as refusal:
        Judging.objects.create(
            project=run.project,
            created_by=run.created_by,
            run=run,
            version=version,
            kind=version.kind,
            config=version.config,
            budget=budget,
            size=0,
            status=Judging.Status.FAILED,
            error={"code": refusal.code, "message": refusal.message},
            finished_at=timezone.now(),
        )


# ---- shown ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reading:
    """A judge that may read runs with the money of a budget: `requests` are the newest for each run that it read.

    `cost` is that of all its requests, None if no price is known.
    """

    evaluator: Evaluator
    runs: int
    requests: list[tuple[Judging, Progress]]
    cost: int | None

    @property
    def done(self) -> int:
        return sum(so_far.done for _, so_far in self.requests)

    @property
    def total(self) -> int:
        return sum(so_far.total for _, so_far in self.requests)

    @property
    def status(self) -> str:
        """running, stopped (at the limit, or by somebody), failed, completed, or waiting for answers."""
        running = Judging.Status.RUNNING
        of_column = [
            judging
            for judging, _ in self.requests
            if judging.purpose == Judging.Purpose.SCORES or judging.status == running
        ]
        statuses = {judging.status for judging in of_column}
        for status in ("running", "failed", "limit", "cancelled"):
            if status in statuses:
                return status
        return "completed" if len(of_column) >= self.runs else "waiting"

    @property
    def is_stopped(self) -> bool:
        return self.status in STOPPED

    @property
    def problem(self) -> str:
        """Why a request of it failed; "" if none did."""
        errors = (judging.error for judging, _ in self.requests if judging.error)
        return next((str(error["message"]) for error in errors), "")


def readings(budget: Budget) -> list[Reading]:
    """The judges with the money of a budget, and how far they are."""
    allowances = Allowance.objects.filter(budget=budget, run__deleted_at=None).select_related("evaluator")
    by_judge: dict[Evaluator, list[int]] = {}
    for allowance in allowances.order_by("pk"):
        by_judge.setdefault(allowance.evaluator, []).append(allowance.run_id)
    asked = Judging.objects.filter(
        run__allowances__budget=budget,
        version__evaluator__in=list(by_judge),
        purpose__in=judgings.OF_COLUMNS,
    )
    newest = {
        (judging.run_id, judging.version.evaluator_id): judging
        for judging in asked.select_related("version").order_by("pk").distinct()
        if judging.version is not None
    }
    so_far = progress.of_many(list(newest.values()))
    paid = Verdict.objects.filter(judging__in=asked, cached=False).order_by()
    costs = dict(paid.values_list("version__evaluator").annotate(Sum("cost")))
    return [
        Reading(
            judge,
            len(runs),
            [(last, so_far[last.pk]) for run in runs if (last := newest.get((run, judge.pk)))],
            costs.get(judge.pk),
        )
        for judge, runs in by_judge.items()
    ]
