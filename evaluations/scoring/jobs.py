"""Jobs: a run's request to be scored, opened with the chunks that workers claim, or called off."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from django.db import transaction

from evaluations import leases
from evaluations.commit_points import reached
from evaluations.engine import queue
from evaluations.errors import Conflict
from evaluations.evaluators import embeddings
from evaluations.models import Block, Dataset, EvaluatorVersion, Job, Run, Scoring

from . import spans


def open_job(run: Run, versions: Iterable[EvaluatorVersion]) -> list[Job]:
    """Queue the scoring of a run by versions it does not have yet: one job per lane, chunks for all its examples."""
    with transaction.atomic():
        _lock(run)
        has = set(run.scorings.values_list("evaluator_version_id", flat=True))
        wanted = sorted((v for v in versions if v.pk not in has), key=lane_of)
        return [_open(run, lane, list(group)) for lane, group in groupby(wanted, key=lane_of)]


def retry_errors(run: Run, versions: Iterable[EvaluatorVersion]) -> list[Job]:
    """Queue again the chunks in which a row of these versions ended in an error, if their last job has ended."""
    jobs = []
    with transaction.atomic():
        _lock(run)
        scorings = run.scorings.filter(evaluator_version__in=versions).exclude(job__state=Job.State.OPEN)
        for scoring in scorings.select_related("evaluator_version"):
            if found := spans.with_errors(scoring):
                jobs.append(_queue_spans(run, lane_of(scoring.evaluator_version), found))
                scoring.job, scoring.summary = jobs[-1], None
                scoring.save(update_fields=["job", "summary"])
    return jobs


def score_again(run: Run) -> list[Job]:
    """Queue all scorings of a run anew, for the examples its experiment has now; old scores are forgotten."""
    with transaction.atomic():
        _lock(run)
        queue.call_off(
            run
        )  # Before the blocks: a worker that still holds a chunk must not write one afterwards.
        scorings = list(run.scorings.select_related("evaluator_version"))
        Block.objects.filter(scoring__in=scorings).delete()
        lanes = {lane_of(scoring.evaluator_version) for scoring in scorings}
        jobs = {lane: _queue(run, lane) for lane in lanes}
        for scoring in scorings:
            scoring.job, scoring.summary = jobs[lane_of(scoring.evaluator_version)], None
        Scoring.objects.bulk_update(scorings, ["job", "summary"])
    return list(jobs.values())


def lane_of(version: EvaluatorVersion) -> str:
    """Semantic work queues per connection, so that a text is paid once; all else shares one lane."""
    connection_id = embeddings.connection_of(version)
    return f"connection:{connection_id}" if connection_id else Job.TEXT


def _lock(run: Run) -> None:
    """Hold the run against a cancel or a second request, and refuse what cannot be scored."""
    run.refresh_from_db(from_queryset=Run.objects.select_for_update())
    if run.status in (Run.Status.DRAFT, Run.Status.CANCELLED, Run.Status.FAILED):
        raise Conflict("run_not_scorable", f"The run is {run.status}; it cannot be scored.")
    if run.experiment.dataset.status != Dataset.Status.READY:
        raise Conflict("dataset_not_ready", "The examples of this run are being imported.")


def _open(run: Run, lane: str, versions: list[EvaluatorVersion]) -> Job:
    job = _queue(run, lane)
    Scoring.objects.bulk_create(Scoring(run=run, job=job, evaluator_version=version) for version in versions)
    return job


def _queue(run: Run, lane: str) -> Job:
    return _queue_spans(run, lane, spans.of_run(run, lane))


def _queue_spans(run: Run, lane: str, chosen: Sequence[queue.Span]) -> Job:
    """A job for these spans; a run that had ended is open again."""
    ended = Run.objects.filter(pk=run.pk).exclude(status__in=Run.OPEN)
    ended.update(
        status=Run.Status.QUEUED, queued_at=leases.now(), started_at=None, finished_at=None, error=None
    )
    return queue.add_job(run, lane, chosen)


def cancel(run: Run) -> None:
    """Final: no chunk of the run is scored or stored from here on."""
    with transaction.atomic():
        run.refresh_from_db(from_queryset=Run.objects.select_for_update())
        if run.status not in Run.OPEN:
            raise Conflict("run_not_running", f"The run is {run.status}; there is nothing to cancel.")
        queue.call_off(run)
        Run.objects.filter(pk=run.pk).update(status=Run.Status.CANCELLED, finished_at=leases.now())
        reached("cancelling")
