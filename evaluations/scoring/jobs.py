"""Jobs: requests to score a run. Opened with chunks for workers, resumed, retried and cancelled here."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from django.db import transaction
from django.db.models import QuerySet

from evaluations import leases, owned
from evaluations.commit_points import reached
from evaluations.engine import queue
from evaluations.errors import Conflict
from evaluations.evaluators import embeddings, formulas
from evaluations.models import Block, Dataset, EvaluatorVersion, Job, Run, Scoring

from . import spans


def open_job(run: Run, versions: Iterable[EvaluatorVersion]) -> list[Job]:
    """Queue the scoring of a run by versions that have not scored it: one job per lane, chunks for all examples.

    A cancelled run is resumed as well. What a formula reads is scored with it, unless that calls a server.
    """
    with transaction.atomic():
        _lock(run)
        resumed = _resume(run)
        scored_versions = set(run.scorings.values_list("evaluator_version_id", flat=True))
        new_versions = sorted(
            (version for version in formulas.with_sources(versions) if version.pk not in scored_versions),
            key=lane_of,
        )
        return resumed + [_open(run, lane, list(group)) for lane, group in groupby(new_versions, key=lane_of)]


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
    by_lane = groupby(sorted(_with_versions(cancelled), key=_lane), key=_lane)
    scorings_by_lane = [(lane, list(group)) for lane, group in by_lane]
    return [_finish(run, lane, group) for lane, group in scorings_by_lane]


def _finish(run: Run, lane: str, scorings: Sequence[Scoring]) -> Job:
    """Queue the examples that these scorings lack; the progress goes on from where it stopped."""
    computed = [scoring for scoring in scorings if scoring.evaluator_version.kind not in formulas.DERIVED]
    unscored_spans = spans.unscored(run, lane, computed or scorings)
    every = spans.of_run(run, lane)
    done = sum(total for *_, total in every) - sum(total for *_, total in unscored_spans)
    return _assign(run, lane, scorings, unscored_spans, done)


def retry_errors(run: Run, versions: Iterable[EvaluatorVersion]) -> list[Job]:
    """Queue the chunks with errors of these versions again, if their last job has ended.

    Errors of a formula are those of its sources.
    """
    with transaction.atomic():
        _lock(run)
        jobs = _resume(run)
        computed = run.scorings.exclude(evaluator_version__kind__in=formulas.DERIVED)
        ended = computed.filter(evaluator_version__in=formulas.with_sources(versions)).exclude(
            job__state=Job.State.OPEN
        )
        for scoring in _with_versions(ended):
            if chosen := spans.with_errors(scoring):
                jobs.append(_assign(run, _lane(scoring), [scoring], chosen))
    return jobs


def score_again(run: Run) -> list[Job]:
    """Queue all scorings of a run again, for the present examples of its experiment; old scores are deleted."""
    with transaction.atomic():
        _lock(run)
        # before the blocks, so that a worker with a chunk cannot write one afterwards
        queue.cancel_jobs(run)
        scorings = sorted(_with_versions(run.scorings.all()), key=_lane)
        Block.objects.filter(scoring__in=scorings).delete()
        by_lane = [(lane, list(group)) for lane, group in groupby(scorings, key=_lane)]
        return [_assign(run, lane, group, spans.of_run(run, lane)) for lane, group in by_lane]


def _with_versions(scorings: QuerySet[Scoring]) -> QuerySet[Scoring]:
    return scorings.select_related("evaluator_version__evaluator__project")


def _assign(
    run: Run, lane: str, scorings: Sequence[Scoring], chosen: Sequence[queue.Span], done: int = 0
) -> Job:
    """Create a job that computes these scorings for these spans; `done` other examples have their scores."""
    job = _queue(run, lane, chosen, done)
    for scoring in scorings:
        scoring.job, scoring.summary = job, None
    Scoring.objects.bulk_update(scorings, ["job", "summary"])
    return job


def _lane(scoring: Scoring) -> str:
    return lane_of(scoring.evaluator_version)


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


def _open(run: Run, lane: str, versions: list[EvaluatorVersion]) -> Job:
    job = _queue(run, lane, spans.of_run(run, lane))
    Scoring.objects.bulk_create(Scoring(run=run, job=job, evaluator_version=version) for version in versions)
    return job


def _queue(run: Run, lane: str, chosen: Sequence[queue.Span], done: int = 0) -> Job:
    """Create a job for these spans; a run that had ended is open again."""
    ended = Run.objects.filter(pk=run.pk).exclude(status__in=Run.OPEN)
    ended.update(
        status=Run.Status.QUEUED, queued_at=leases.now(), started_at=None, finished_at=None, error=None
    )
    return queue.add_job(run, lane, chosen, done)


def cancel(run: Run) -> None:
    """Cancel the open jobs of a run: no chunk is scored or stored until `resume`."""
    with transaction.atomic():
        run.refresh_from_db(from_queryset=Run.objects.select_for_update())
        if run.status not in Run.OPEN:
            raise Conflict("run_not_running", f"The run is {run.status}; there is nothing to cancel.")
        at = queue.cancel_jobs(run)
        Run.objects.filter(pk=run.pk).update(status=Run.Status.CANCELLED, finished_at=at)
        reached("cancelling")
