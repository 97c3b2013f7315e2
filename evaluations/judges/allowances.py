"""Money that is named for evaluators that call a server: judges, and embeddings of a connection.

It is named with a run, with its launch, for an evaluator, or once for each later run of an experiment. A launch pays
answers and those who read them from one budget, so that its limit holds for all. No call is made without an allowance:
the column then waits until somebody names money.
"""

from collections.abc import Iterable, Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from evaluations.access import audit, limits
from evaluations.errors import Refusal
from evaluations.evaluators import embeddings
from evaluations.experiments import runs as running
from evaluations.kinds.judge import pair_judge
from evaluations.launches import launches
from evaluations.models import (
    Allowance,
    Budget,
    Dataset,
    EvaluatorVersion,
    Experiment,
    Job,
    Judging,
    Launch,
    Project,
    Run,
)
from evaluations.prompts.named import Money, budget_of
from evaluations.scoring import jobs

from . import judgings, opponents, paid, readings
from .readings import STOPPED


def check(project: Project, dataset: Dataset, versions: Iterable[EvaluatorVersion], money: Money) -> None:
    """Raise `Invalid` unless these evaluators can be paid with this money."""
    judges, others = paid.apart(versions)
    judgings.require_askable(project, dataset, [judgings.asked_version(version) for version in judges], money)
    for version in others:
        embeddings.require_payable(version, money)


def allow(runs: Sequence[Run], versions: Sequence[EvaluatorVersion], budget: Budget) -> None:
    """Let evaluators score the answers of runs with the money of a budget; raises `Invalid` if one cannot be paid."""
    if not runs or not versions:
        return
    check(runs[0].project, runs[0].experiment.dataset, versions, Money.of(budget))
    Allowance.objects.bulk_create(
        [
            Allowance(run=run, evaluator=version.evaluator, budget=budget)
            for run in runs
            for version in versions
        ],
        update_conflicts=True,
        unique_fields=["run", "evaluator"],
        update_fields=["budget"],
    )


def pay(
    runs: Sequence[Run],
    versions: Iterable[EvaluatorVersion],
    user: User | None,
    money: Money,
    against: Run | None = None,
) -> None:
    """Let those among these versions that call a server score what they have not, if money is named; all share it.

    Judges begin now. The others are paid by the scoring that the caller opens next.
    """
    judges, others = paid.apart(paid.among(versions))
    if money == Money() or not runs or not [*judges, *others]:
        return
    limits.require_room(runs[0].project)
    with transaction.atomic():
        budget = budget_of(runs[0].project, money)
        allow(runs, others, budget)
        if judges:
            judgings.begin(runs, judges, user, budget, against)


def of_each_run(experiment: Experiment) -> Money:
    """What evaluators may spend on a run of this experiment for which nobody names money."""
    return Money(experiment.budget_per_run, experiment.max_calls_per_run)


def set_for_each_run(experiment: Experiment, money: Money) -> None:
    """Let later runs spend so much without being asked; nothing if no money is named."""
    experiment.budget_per_run, experiment.max_calls_per_run = money.budget, money.max_calls
    audit.note(budget_per_run=money.budget, max_calls_per_run=money.max_calls)
    Experiment.objects.filter(pk=experiment.pk).update(
        budget_per_run=money.budget, max_calls_per_run=money.max_calls
    )


def allow_new(added: Sequence[Run], money: Money) -> None:
    """Let the evaluators of their experiment score new runs as soon as they have their answers, if money is named for
    these runs, or for each run of the experiment.
    """
    if not added:
        return
    if money == Money():
        money = of_each_run(added[0].experiment).times(len(added))
    called = paid.of(added[0].experiment) if money != Money() else []
    if called:
        allow(added, called, budget_of(added[0].project, money))


def asks_money(draft: Run) -> bool:
    """Whether evaluators that are paid would score a draft, and nobody said what they may spend."""
    is_paid = draft.allowances.exists() or of_each_run(draft.experiment) != Money()
    return not is_paid and bool(paid.of(draft.experiment))


def start(draft: Run, money: Money, against: Run | None = None) -> Run:
    """Score a draft, with the money that is named now, else with what was named before.

    Judges of pairs compare it with the run `against`, by default the baseline of its experiment.
    """
    with transaction.atomic():
        if against is None or money == Money():
            if money != Money() or not draft.allowances.exists():
                allow_new([draft], money)
            return running.start_within_limits(draft)
        judges, others = paid.apart(paid.of(draft.experiment))
        budget = budget_of(draft.project, money)
        allow([draft], others, budget)
        started = running.start_within_limits(draft)
        if judges:
            judgings.begin([started], judges, draft.created_by, budget, against)
        return started


def allow_launch(launch: Launch) -> None:
    """Let the evaluators of its experiment score the answers of a new launch: with its budget, or else with what was
    named for each run of the experiment.
    """
    runs = Run.objects.filter(generation__launch=launch).select_related("experiment__dataset", "project")
    if Money.of(launch.budget) == Money():
        allow_new(list(runs.order_by("pk")), Money())
    else:
        allow(list(runs.order_by("pk")), paid.of(launch.experiment), launch.budget)


def allow_repeated(added: Sequence[Run], money: Money) -> None:
    """Let evaluators score repetitions that were added to a launch, if they scored its runs, or money was named for
    these or for each run of the experiment.
    """
    launch = added[0].generation.launch
    if reads(launch) or money != Money():
        allow(added, paid.of(launch.experiment), Budget.objects.get(pk=launch.budget_id))
    else:
        allow_new(added, Money())


def reads(launch: Launch) -> bool:
    """Whether evaluators score the answers of a launch with its money."""
    return Allowance.objects.filter(budget=launch.budget_id, run__deleted_at=None).exists()


# ---- reading ----------------------------------------------------------------------------------------------------


def begin(run: Run) -> None:
    """Start the judges that have money for a run, now that it has its answers; others are paid as it is scored.

    Other runs with the same money are looked at as well: they may have waited for the other variant of their pairs.
    """
    for budget in Budget.objects.filter(allowances__run=run).distinct():
        for allowance in _ready(budget):
            version = paid.version_of(allowance)
            if version is None or not paid.is_judge(version) or _reads_early(allowance):
                continue  # One that reads early reads the rest when it has ended.
            last = _last(allowance)
            if last is None or (allowance.run_id == run.pk and last.status != Judging.Status.RUNNING):
                _read(allowance, budget)


def resume(launch: Launch, budget: int | None = None, max_calls: int | None = None) -> Launch:
    """Continue a launch that stopped, and those who read its answers, with new limits if given."""
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
    """Make no further calls for a launch, nor for those who read its answers."""
    with transaction.atomic():
        reading = Judging.objects.filter(budget=launch.budget_id, status=Judging.Status.RUNNING)
        ended = [judgings.stop(judging, Judging.Status.CANCELLED) for judging in reading]
        bought = Run.objects.filter(
            jobs__in=Job.objects.filter(budget=launch.budget_id, state=Job.State.OPEN)
        )
        for run in bought.distinct():
            jobs.cancel(run)
            ended.append(True)
        return launch if any(ended) and not launches.is_generating(launch) else launches.cancel(launch)


def stopped(budget: Budget) -> list[Allowance]:
    """The allowances whose evaluator ended before it had scored all answers."""
    return [
        allowance
        for allowance in _ready(budget)
        if (version := paid.version_of(allowance)) and _is_stopped(allowance, version)
    ]


def _is_stopped(allowance: Allowance, version: EvaluatorVersion) -> bool:
    if paid.is_judge(version):
        last = _last(allowance)
        return last is not None and last.status in STOPPED
    return readings.bought(allowance.run, version).status in STOPPED


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
    """Let an evaluator score what it has not. What refuses a judge is shown as a judging that failed, because nobody
    waits for an answer.
    """
    run, version = allowance.run, paid.version_of(allowance)
    if version is None:
        return
    if not paid.is_judge(version):
        jobs.buy(run, [version])
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
