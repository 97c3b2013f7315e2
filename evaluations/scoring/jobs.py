"""Jobs: requests to score a run. Opened with chunks for workers, resumed, retried and cancelled here."""

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import groupby
from typing import NamedTuple

from django.db import transaction
from django.db.models import QuerySet

from evaluations import leases, owned
from evaluations.commit_points import reached
from evaluations.engine import queue
from evaluations.errors import Conflict
from evaluations.evaluators import embeddings, formulas
from evaluations.models import Allowance, Block, Dataset, EvaluatorVersion, Job, Run, Scoring

from . import deciding, spans


class Place(NamedTuple):
    """Where a version is scored: its lane, and the id of the budget that pays for it there; 0 without one."""

    lane: str
    budget: int = 0


def open_job(run: Run, versions: Iterable[EvaluatorVersion]) -> list[Job]:
    """Queue the scoring of a run by versions that have not scored it: one job per place, chunks for all examples.

    A cancelled run is resumed as well. What a formula reads is scored with it, unless that calls a server. Versions
    that call a server pay with the money that was named for them (`Allowance`); without any they use what was paid
    before, and other examples wait. Those that waited are queued again if money was named since.
    """
    with transaction.atomic():
        _lock(run)
        resumed = _resume(run)
        listed = formulas.with_sources(versions)
        scored_versions = set(run.scorings.values_list("evaluator_version_id", flat=True))
        new = [version for version in listed if version.pk not in scored_versions]
        place = partial(_place, run)
        by_place = groupby(sorted(new, key=place), key=place)
        opened = [_open(run, at, list(group)) for at, group in by_place]
        return resumed + opened + _pay(run, _ended(run, listed))


def buy(run: Run, versions: Sequence[EvaluatorVersion]) -> list[Job]:
    """Queue the examples that wait to be paid for, with the money that was named: its limit may have been raised."""
    with transaction.atomic():
        _lock(run)
        return [*_resume(run), *_pay(run, _ended(run, versions), again=True)]


def follow(run: Run, job: Job, scorings: Iterable[Scoring]) -> list[Job]:
    """Queue what waits to be paid for in the columns of a job that has ended, if money was named meanwhile."""
    return _pay(run, [scoring for scoring in scorings if scoring.job_id == job.pk])


def _pay(run: Run, ended: Iterable[Scoring], *, again: bool = False) -> list[Job]:
    """Queue what waits in these scorings for money: for other money than their last job had, unless `again`."""
    opened: list[Job] = []
    for scoring in ended:
        place = _place(run, scoring.evaluator_version)
        last = scoring.job.budget_id if scoring.job else None
        is_paid = bool(place.budget) and (again or place.budget != last)
        if is_paid and (chosen := spans.unpaid(scoring)):
            opened.append(_assign(run, place, [scoring], chosen))
    return opened


def _ended(run: Run, versions: Iterable[EvaluatorVersion]) -> QuerySet[Scoring]:
    """The computed scorings of a run by these versions that no job works on."""
    computed = run.scorings.exclude(evaluator_version__kind__in=formulas.DERIVED)
    ended = computed.filter(evaluator_version__in=list(versions)).exclude(job__state=Job.State.OPEN)
    return _with_versions(ended)


def resume(run: Run) -> list[Job]:
    """Queue the remaining examples of a cancelled run; its scores stay."""
    with transaction.atomic():
        _lock(run)
        if run.status != Run.Status.CANCELLED:
            raise Conflict(
                "run_not_cancelled", f"The run is {run.status}; only a cancelled run can be resumed."
            )
        return _resume(run)


def _resume(run: Run) -> list[Job]:
    cancelled = run.scorings.filter(summary=None, job__state=Job.State.CANCELLED)
    return [_finish(run, place, group) for place, group in _by_place(run, cancelled)]


def _finish(run: Run, place: Place, scorings: Sequence[Scoring]) -> Job:
    """Queue the examples that these scorings lack; the progress goes on from where it stopped."""
    computed = [scoring for scoring in scorings if scoring.evaluator_version.kind not in formulas.DERIVED]
    unscored_spans = spans.unscored(run, place.lane, computed or scorings)
    every = spans.of_run(run, place.lane)
    done = sum(total for *_, total in every) - sum(total for *_, total in unscored_spans)
    return _assign(run, place, scorings, unscored_spans, done)


def retry_errors(run: Run, versions: Iterable[EvaluatorVersion]) -> list[Job]:
    """Queue the chunks with errors of these versions again, if their last job has ended.

    Errors of a formula are those of its sources.
    """
    with transaction.atomic():
        _lock(run)
        jobs = _resume(run)
        for scoring in _ended(run, formulas.with_sources(versions)):
            if chosen := spans.with_errors(scoring):
                jobs.append(_assign(run, _place(run, scoring.evaluator_version), [scoring], chosen))
    return jobs


def score_again(run: Run) -> list[Job]:
    """Queue all scorings of a run again, for the present examples of its experiment; old scores are deleted."""
    with transaction.atomic():
        _lock(run)
        # before the blocks, so that a worker with a chunk cannot write one afterwards
        queue.cancel_jobs(run)
        Block.objects.filter(scoring__run=run).delete()
        by_place = _by_place(run, run.scorings.all())
        return [_assign(run, place, group, spans.of_run(run, place.lane)) for place, group in by_place]


def _by_place(run: Run, scorings: QuerySet[Scoring]) -> list[tuple[Place, list[Scoring]]]:
    """Scorings with their versions, by where they are scored."""

    def place(scoring: Scoring) -> Place:
        return _place(run, scoring.evaluator_version)

    placed = sorted(_with_versions(scorings), key=place)
    return [(at, list(group)) for at, group in groupby(placed, key=place)]


def _with_versions(scorings: QuerySet[Scoring]) -> QuerySet[Scoring]:
    return scorings.select_related("evaluator_version__evaluator__project", "job")


def _assign(
    run: Run, place: Place, scorings: Sequence[Scoring], chosen: Sequence[queue.Span], done: int = 0
) -> Job:
    """Create a job that computes these scorings for these spans; `done` other examples have their scores."""
    job = _queue(run, place, chosen, done)
    for scoring in scorings:
        scoring.job, scoring.summary = job, None
    Scoring.objects.bulk_update(scorings, ["job", "summary"])
    return job


def _place(run: Run, version: EvaluatorVersion) -> Place:
    lane = lane_of(version)
    if lane == Job.TEXT:
        return Place(lane)
    named = Allowance.objects.filter(run=run, evaluator=version.evaluator_id)
    return Place(lane, named.values_list("budget", flat=True).first() or 0)


def lane_of(version: EvaluatorVersion) -> str:
    """The lane of a version: one per connection for kinds with embeddings, so that a text is paid once; else `TEXT`."""
    connection_id = embeddings.connection_of(version)
    return f"{Job.SERVER}:{connection_id}" if connection_id else Job.TEXT


def _lock(run: Run) -> None:
    """Lock the run against delete, cancel and further requests; raises `Conflict` if it cannot be scored."""
    owned.hold(run.experiment)
    run.refresh_from_db(from_queryset=Run.objects.select_for_update())
    if run.status in (Run.Status.DRAFT, Run.Status.GENERATING, Run.Status.FAILED):
        raise Conflict("run_not_scorable", f"The run is {run.status}; it cannot be scored.")
    if run.experiment.dataset.status != Dataset.Status.READY:
        raise Conflict("dataset_not_ready", "The examples of this run are being imported.")


def _open(run: Run, place: Place, versions: list[EvaluatorVersion]) -> Job:
    job = _queue(run, place, spans.of_run(run, place.lane))
    Scoring.objects.bulk_create(Scoring(run=run, job=job, evaluator_version=version) for version in versions)
    deciding.settle(run.experiment_id, versions)
    return job


def _queue(run: Run, place: Place, chosen: Sequence[queue.Span], done: int = 0) -> Job:
    """Create a job for these spans; a run that had ended is open again."""
    ended = Run.objects.filter(pk=run.pk).exclude(status__in=Run.OPEN)
    ended.update(
        status=Run.Status.QUEUED, queued_at=leases.now(), started_at=None, finished_at=None, error=None
    )
    return queue.add_job(run, place.lane, chosen, done, place.budget or None)


def cancel(run: Run) -> None:
    """Cancel the open jobs of a run: no chunk is scored or stored until `resume`."""
    with transaction.atomic():
        run.refresh_from_db(from_queryset=Run.objects.select_for_update())
        if run.status not in Run.OPEN:
            raise Conflict("run_not_running", f"The run is {run.status}; there is nothing to cancel.")
        at = queue.cancel_jobs(run)
        Run.objects.filter(pk=run.pk).update(status=Run.Status.CANCELLED, finished_at=at)
        reached("cancelling")
