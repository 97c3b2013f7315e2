"""Judgings: a judge reads answers of runs, with money that somebody named. Nothing paid starts without it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from evaluations import kinds, leases
from evaluations.access import limits
from evaluations.engine import chores, queue
from evaluations.errors import Conflict, Invalid
from evaluations.kinds.judge import JudgingConfig, judge, pair_judge
from evaluations.models import (
    Budget,
    Chunk,
    Connection,
    Dataset,
    Evaluator,
    EvaluatorVersion,
    Job,
    Judging,
    Project,
    Run,
    Verdict,
)
from evaluations.prompts import ledger, prices
from evaluations.prompts.named import Money, budget_of
from evaluations.scoring import spans

from . import drift, opponents, publishing, rubrics

MOST_TRIED, MOST_REPEATED, MOST_ATTACKED = 5, 200, 5
REPEATS = 2  # further samples of an answer, to see how often the verdict changes
TRIED_KEPT = timedelta(days=1)
OF_COLUMNS = (Judging.Purpose.SCORES, Judging.Purpose.EARLY)
UNJUDGED = (Run.Status.DRAFT, Run.Status.GENERATING, Run.Status.FAILED)


@dataclass(frozen=True)
class Asked:
    """What a judge is asked: a saved version, or a rubric that somebody tries, over a connection."""

    kind: str
    config: dict[str, Any]
    connection: Connection
    version: EvaluatorVersion | None = None

    @property
    def parsed(self) -> JudgingConfig:
        config = kinds.get(self.kind).parse(self.config)
        assert isinstance(config, JudgingConfig)
        return config


# ---- starting --------------------------------------------------------------------------------------------------


def start(
    runs: Sequence[Run],
    versions: Iterable[EvaluatorVersion],
    user: User | None,
    money: Money,
    against: Run | None = None,
) -> list[Judging]:
    """Let judges read the answers of runs that they have not read; all share the money that is named.

    Raises `Invalid` without money, and nothing is stored if one of them could not be asked. A judge of pairs compares
    each run with the run `against`, by default the first.
    """
    judges = list(versions)
    if not judges or not runs:
        return []
    limits.require_room(runs[0].project)
    with transaction.atomic():
        return begin(runs, judges, user, budget_of(runs[0].project, money), against)


def begin(
    runs: Sequence[Run],
    versions: Iterable[EvaluatorVersion],
    user: User | None,
    budget: Budget,
    against: Run | None = None,
) -> list[Judging]:
    """`start` with the money of a budget, which others may spend as well."""
    asked = [asked_version(version) for version in versions]
    _check(runs[0].project, runs, asked, Money.of(budget))
    with transaction.atomic():
        return [
            _store(run, one, user, budget, against=other)
            for one in asked
            for run, other in _pairs(runs, one, against)
        ]


def read_early(run: Run, asked: Asked, user: User | None, budget: Budget, against: Run | None) -> Judging:
    """Ask about the answers that a run has so far, while others are still to come: no column is written."""
    return _store(run, asked, user, budget, against=against, purpose=Judging.Purpose.EARLY)


def _pairs(runs: Sequence[Run], asked: Asked, against: Run | None) -> list[tuple[Run, Run | None]]:
    """The runs that a judge reads, each with the run that it is compared with."""
    if asked.kind != pair_judge.key:
        return [(run, None) for run in runs]
    pairs = opponents.compared(runs, asked.version, against)
    if not pairs:
        raise _invalid("against", "A judge of pairs needs a second variant.")
    return [*pairs]


def asked_version(version: EvaluatorVersion) -> Asked:
    connection = connection_of(version.evaluator)
    return Asked(version.kind, version.config, connection, version)


def connection_of(evaluator: Evaluator) -> Connection:
    """The connection of a judge, else the project's default; raises `Invalid` without either."""
    chosen = evaluator.connection or evaluator.project.default_connection
    if chosen is None or chosen.deleted_at is not None:
        message = f"{evaluator.name} has no connection, and the project has no default."
        raise Invalid("no_connection", message, fields={"connection": [message]})
    return chosen


def require_askable(project: Project, dataset: Dataset, asked: Sequence[Asked], money: Money) -> None:
    """Raise `Invalid` unless these judges can be asked about answers to a dataset with this money."""
    money.require()
    for one in asked:
        rubrics.paths(one.parsed, dataset.columns)
        if money.budget is not None or project.monthly_limit is not None:
            _require_price(one)


def _check(project: Project, runs: Sequence[Run], asked: Sequence[Asked], money: Money) -> None:
    require_askable(project, runs[0].experiment.dataset, asked, money)
    for run in runs:
        if run.status in UNJUDGED:
            message = f"{run.variant} is {run.status}; a judge reads complete runs."
            raise Conflict("run_not_scorable", message)
        _refuse_twice(run, [one.version for one in asked])


def has_price(asked: Asked) -> bool:
    """Whether what the judge's model costs is known, so that it can be limited."""
    return prices.rates(asked.connection, asked.parsed.model, prices.today()) is not None


def _require_price(asked: Asked) -> None:
    ledger.require_length_limit(asked.parsed.parameters)
    model = asked.parsed.model
    if not has_price(asked):
        message = f"{asked.connection.name} has no price for {model}, so its cost cannot be limited."
        raise Invalid(
            "price_required", message, fields={"budget": [message]}, hint="Add one, or send max_calls."
        )


def _refuse_twice(run: Run, versions: Sequence[EvaluatorVersion | None]) -> None:
    """Raise `Conflict` while the same judge reads this run, or its last calls have not ended."""
    same = Judging.objects.filter(run=run, version__in=[v for v in versions if v], purpose__in=OF_COLUMNS)
    if same.filter(status=Judging.Status.RUNNING).exists():
        raise Conflict("judging_running", f"This judge is reading {run.variant} now.")
    if Chunk.objects.filter(queue.awaits_calls(), job__judging__in=same).exists():
        message = f"The last calls about {run.variant} have not ended."
        raise Conflict("judging_running", message, hint="Try again in a minute.")


def _store(
    run: Run,
    asked: Asked,
    user: User | None,
    budget: Budget,
    *,
    against: Run | None = None,
    purpose: str = Judging.Purpose.SCORES,
    positions: Sequence[int] | None = None,
    first_sample: int = 1,
    samples: int | None = None,
) -> Judging:
    """The only place where calls of a judge begin, whatever led to it: never without money that somebody named."""
    Money.of(budget).require()
    rates = prices.rates(asked.connection, asked.parsed.model, prices.today())
    stretches = (
        spans.of_run(run, Job.JUDGE)
        if positions is None
        else [(min(positions), max(positions), len(positions))]
    )
    judging = Judging.objects.create(
        project=run.project,
        created_by=user,
        run=run,
        version=asked.version,
        kind=asked.kind,
        config=asked.config,
        purpose=purpose,
        connection=asked.connection,
        against=against,
        budget=budget,
        positions=None if positions is None else sorted(positions),
        first_sample=first_sample,
        samples=asked.parsed.samples if samples is None else samples,
        size=sum(total for *_, total in stretches),
        input_price=rates.input if rates else None,
        cached_price=rates.cached if rates else None,
        output_price=rates.output if rates else None,
    )
    kind = Job.JUDGE_NOW if purpose == Judging.Purpose.TRY else Job.JUDGE
    queue.add_job(judging, f"{kind}:{asked.connection.pk}", stretches)
    return judging


def ask_some(
    run: Run,
    asked: Asked,
    user: User | None,
    money: Money,
    purpose: str,
    positions: Sequence[int],
    against: Run | None = None,
) -> Judging:
    """Ask about a few answers outside of any column: a rubric is tried, attacked, or asked the same again."""
    most = {"try": MOST_TRIED, "repeats": MOST_REPEATED, "attacks": MOST_ATTACKED}[purpose]
    if not 1 <= len(positions) <= most:
        raise _invalid("positions", f"Choose 1 to {most} examples.")
    if purpose == Judging.Purpose.ATTACKS and asked.kind != judge.key:
        raise _invalid("evaluator", "Attacks are for judges of single answers.")
    if asked.kind == pair_judge.key and against is None:
        raise _invalid("against", "A judge of pairs needs a second variant.")
    _check(run.project, [run], [Asked(asked.kind, asked.config, asked.connection)], money)
    again = purpose == Judging.Purpose.REPEATS
    with transaction.atomic():
        return _store(
            run,
            asked,
            user,
            budget_of(run.project, money),
            against=against if asked.kind == pair_judge.key else None,
            purpose=purpose,
            positions=positions,
            first_sample=_next_sample(run, asked) if again else 1,
            samples=REPEATS if again else None,
        )


def _next_sample(run: Run, asked: Asked) -> int:
    """The number of a sample that was never asked, so that what is asked again is really asked."""
    known = Verdict.objects.filter(run=run, version=asked.version).aggregate(last=Max("sample"))["last"]
    return 1 + max(known or 0, asked.parsed.samples)


def _invalid(field: str, message: str) -> Invalid:
    return Invalid("invalid_judging", message, fields={field: [message]})


# ---- ending ----------------------------------------------------------------------------------------------------


def cancel(judging: Judging) -> Judging:
    """Make no further calls; verdicts so far are kept, and count."""
    if not stop(judging, Judging.Status.CANCELLED):
        raise Conflict("judging_not_running", "The judge has ended; there is nothing to stop.")
    judging.refresh_from_db()
    return judging


def stop(judging: Judging, status: str, error: dict[str, Any] | None = None) -> bool:
    """End a running judging; False if it had ended. What it learnt is written into the column by the next sweep."""
    with transaction.atomic():
        running = Judging.objects.filter(pk=judging.pk, status=Judging.Status.RUNNING)
        fields = {
            "status": status,
            "error": error,
            "finished_at": timezone.now(),
            "behind_since": timezone.now(),
        }
        if not running.update(**fields):
            return False
        queue.cancel_jobs(judging)
    return True


def finish(job: Job) -> None:
    """Close a job whose chunks are all done."""
    if job.chunks.exclude(state=Chunk.State.DONE).exists():
        return
    with transaction.atomic():
        if not Job.objects.filter(pk=job.pk, state=Job.State.OPEN).update(
            state=Job.State.DONE, finished_at=leases.now()
        ):
            return
        job.chunks.all().delete()
        running = Judging.objects.filter(jobs=job.pk, status=Judging.Status.RUNNING)
        related = ("version__evaluator", "run__experiment__dataset")
        ended = running.select_related(*related).first()
        if ended and running.update(status=Judging.Status.COMPLETED, finished_at=timezone.now()):
            drift.tell(ended)


def sweep() -> None:
    """Close finished jobs, write columns that were put off, and forget rubrics tried long ago. Safe at any time."""
    chores.run_each(partial(finish, job) for job in queue.left_open(Job.JUDGE, Job.JUDGE_NOW))
    behind = Judging.objects.filter(behind_since__isnull=False).exclude(status=Judging.Status.RUNNING)
    related = ("run__experiment__dataset", "version__evaluator__project", "against__experiment__dataset")
    chores.run_each(partial(publishing.catch_up, judging) for judging in behind.select_related(*related))
    forget_tried()


def forget_tried() -> None:
    """Delete what was tried with rubrics that nobody saved, after a day."""
    old = Judging.objects.filter(purpose=Judging.Purpose.TRY, created_at__lt=timezone.now() - TRIED_KEPT)
    old.exclude(status=Judging.Status.RUNNING).delete()
