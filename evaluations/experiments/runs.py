"""Runs: adding outputs, starting and stopping their scoring, and progress."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, F, Q

from evaluations import bulk, leases, owned, work_rates
from evaluations.access import limits
from evaluations.datasets import bitmaps, splits
from evaluations.datasets.datasets import positions_by
from evaluations.engine import queue
from evaluations.errors import Conflict, Invalid
from evaluations.models import (
    Chunk,
    Evaluator,
    EvaluatorVersion,
    Experiment,
    Generation,
    Job,
    Output,
    Run,
    Split,
)
from evaluations.scoring import coverage, jobs, records
from evaluations.values import LONGEST_NAME, output_text, stored_json
from evaluations.webhooks import events

from . import about as about_variants
from . import answered, asked, column_outputs, experiments, matching

OUTPUT_FIELDS = ("run_id", "position", "text", "is_json", "error", "latency_ms", "tokens", "scores")
EXTRAS = ("error", "latency_ms", "tokens")


def create(
    experiment: Experiment,
    user: User | None,
    variant: str,
    outputs: Sequence[dict[str, Any]] = (),
    start: bool = True,
    about: dict[str, Any] | None = None,
    split: Split | None = None,
    column: str = "",
    for_gate: bool = False,
) -> Run:
    """Create a run with its first outputs; it is scored at once unless `start` is false.

    With a `column` of the dataset's metadata, its values are the outputs. `about` has facts about the variant. With a
    `split`, only its examples are asked: those that it has now in the version of the experiment. A run sent `for_gate`
    is no variant (`for_gates.py`).
    """
    variant = _named(variant)
    if start:
        limits.require_room(experiment.project)
    with transaction.atomic():
        run = Run.objects.create(
            project=experiment.project,
            created_by=user,
            experiment=experiment,
            variant=variant,
            about=about or {},
            prompt_version=about_variants.check(experiment.project, about or {}),
            split=split,
            for_gate=for_gate,
            asked_rows=bitmaps.packed(splits.frozen(split, experiment.dataset_version)) if split else None,
        )
        if column:
            column_outputs.store(run, column)
        add_outputs(run, outputs)
        return begin(run) if start else run


def _named(variant: str) -> str:
    variant = owned.visible(variant)
    if not variant or len(variant) > LONGEST_NAME:
        message = f"A variant's name must have 1 to {LONGEST_NAME} characters."
        raise Invalid("invalid", message, fields={"variant": [f"1 to {LONGEST_NAME} characters."]})
    return variant


def add_outputs(run: Run, outputs: Sequence[dict[str, Any]]) -> int:
    """Store outputs by key or position, replacing those of the same examples; the run must be a draft.

    A completed run takes outputs for examples that a newer dataset version added, and is scored again. An unknown key
    or position, or one that occurs twice, refuses the whole batch. Returns the number of stored outputs.
    """
    with transaction.atomic():
        owned.hold(run.experiment)
        run.refresh_from_db(from_queryset=Run.objects.select_for_update())
        is_added = run.status == Run.Status.COMPLETED and bool(asked.unasked([run]))
        if not is_added:
            lock_draft(run)
        positions = matching.positions_of(run, outputs, "output", unasked=is_added)
        rows = {
            position: (
                run.pk,
                position,
                *output_text(output.get("output")),
                *(output.get(name) for name in EXTRAS),
                stored_json(output["scores"]) if output.get("scores") else None,
            )
            for position, output in zip(positions, outputs, strict=True)
        }
        replaced = positions_by(run.outputs.filter(text__isnull=False), "position", list(rows))
        bulk.upsert(Output, OUTPUT_FIELDS, ("run_id", "position"), rows.values())
        run.output_count += sum(text is not None for _, _, text, *_ in rows.values()) - len(replaced)
        run.save(update_fields=["output_count"])
        if is_added and rows:
            asked.add(run, rows)
            score(run)
    return len(rows)


def lock_draft(run: Run, otherwise: str = "outputs can be added to a draft only") -> None:
    """Lock a run for a change; `Conflict` with the sentence `otherwise` unless it is a draft without an import."""
    run.refresh_from_db(from_queryset=Run.objects.select_for_update())
    if run.status != Run.Status.DRAFT:
        raise Conflict("run_not_draft", f"The run is {run.status}; {otherwise}.")
    if run.takes_file:
        raise Conflict(
            "outputs_importing", "The outputs of this run are being read.", hint="Wait for the import to end."
        )


def start_within_limits(run: Run) -> Run:
    """Like `begin`; raises `TooManyRequests` if the project has too much work in progress."""
    limits.require_room(run.project)
    return begin(run)


def begin(run: Run) -> Run:
    """Score a draft with the evaluators of its experiment; if there are none, the run is complete."""
    with transaction.atomic():
        owned.hold(run.experiment)
        lock_draft(run, "only a draft can be started")
        score(run)
    run.refresh_from_db()
    return run


def score(run: Run) -> None:
    """Score a locked, complete run with the evaluators of its experiment; existing scores are computed again.

    Columns of records are built from these.
    """
    Run.objects.filter(pk=run.pk).update(status=Run.Status.COMPLETED, finished_at=leases.now())
    is_scored = run.scorings.exists()
    if is_scored:
        Run.objects.filter(pk=run.pk).update(revision=F("revision") + 1)
        jobs.score_again(run)
    opened = jobs.open_job(run, [*experiments.versions_of(run.experiment), *records.versions_of(run)])
    if not opened and not is_scored:
        events.run_completed(run)
    answered.tell(run)


def by_name(listed: Iterable[Run]) -> dict[tuple[int, str], list[int]]:
    """The ids of all runs in the experiments of these runs, by experiment and name of the variant, the oldest first."""
    found: dict[tuple[int, str], list[int]] = defaultdict(list)
    living = Run.objects.filter(deleted_at=None, experiment__in={run.experiment_id for run in listed})
    for pk, experiment, variant in living.order_by("pk").values_list("pk", "experiment", "variant"):
        found[experiment, variant].append(pk)
    return found


def add_scorings(run: Run, evaluators: Iterable[Evaluator]) -> Run:
    """Score a run with more evaluators."""
    limits.require_room(run.project)
    jobs.open_job(run, experiments.newest(evaluators))
    run.refresh_from_db()
    return run


def retry_errors(run: Run, evaluators: Iterable[Evaluator]) -> Run:
    """Retry failed examples with the versions that scored the run: newer ones have no errors to retry."""
    limits.require_room(run.project)
    used = EvaluatorVersion.objects.filter(scorings__run=run, evaluator__in=list(evaluators))
    jobs.retry_errors(run, used.distinct())
    run.refresh_from_db()
    return run


def cancel(run: Run) -> Run:
    """Stop scoring. Scores so far are kept, and `resume` continues from there."""
    jobs.cancel(run)
    run.refresh_from_db()
    return run


def resume(run: Run) -> Run:
    """Score the remaining examples of a cancelled run."""
    generation_job = run.jobs.filter(kind=Job.GENERATE).order_by("pk").last()
    if generation_job and generation_job.state == Job.State.CANCELLED:
        raise Conflict("run_not_generated", "The run lacks answers.", hint="Continue its launch.")
    limits.require_room(run.project)
    jobs.resume(run)
    run.refresh_from_db()
    return run


def delete(run: Run) -> None:
    """Mark the run as deleted. `Conflict` while it is in progress."""
    owned.delete(run, Run.objects.filter(pk=run.pk))


@dataclass(frozen=True)
class Progress:
    """`done` of `total` examples; a cancelled run keeps the count, and a resumed one continues it.

    An example is done when every requested evaluator has processed it. `rate` is in examples a second.
    `again` examples are scored one by one, behind other work, because scoring them took too long or ended a worker.
    """

    done: int
    total: int
    rate: float | None = None
    seconds_left: float | None = None
    again: int = 0


def progress(run: Run) -> Progress:
    """The progress, counted from rows, so it survives crashes; rate and time left are None before 3 s and 2 %."""
    return progress_of([run])[run.pk]


def progress_of(runs: Sequence[Run]) -> dict[int, Progress]:
    """`progress` of many runs by id, in two queries, and a third for the answers of those being generated."""
    # Chunks first: a job that ends between the two queries is then counted by its chunks, or seen as done.
    counts = queue.counts_of(Chunk.objects.filter(job__run__in=runs, job__state=Job.State.OPEN))
    by_run: dict[int, list[Job]] = {run.pk: [] for run in runs}
    # A cancelled job whose run ended at another time: the run went on without it.
    replaced = Q(state=Job.State.CANCELLED) & ~Q(finished_at=F("run__finished_at"))
    for job in Job.objects.filter(run__in=runs).exclude(replaced):
        by_run[job.run_pk].append(job)
    generating = [run.pk for run in runs if run.status == Run.Status.GENERATING]
    stored = (
        Output.objects.filter(run__in=generating).order_by().values_list("run").annotate(Count("position"))
    )
    answers = dict(stored) if generating else {}
    asked = _asked([run for run in runs if run.pk in generating])
    return {
        run.pk: _generated(min(answers.get(run.pk, 0), asked[run.pk]), asked[run.pk], by_run[run.pk])
        if run.pk in asked
        else _progress(run, by_run[run.pk], counts)
        for run in runs
    }


def _asked(generating: Sequence[Run]) -> dict[int, int]:
    """The number of examples each of these runs is to answer, with those answered before its launch was continued."""
    generations = Generation.objects.filter(run__in=generating)
    sizes = dict(generations.values_list("run_id", "launch__size")) if generating else {}
    return {run.pk: coverage.count(run) or sizes[run.pk] for run in generating if run.pk in sizes}


def _generated(done: int, total: int, jobs_of_run: Sequence[Job]) -> Progress:
    """Of a run that is being answered; the newest job has what was not answered before."""
    asking = [job for job in jobs_of_run if job.kind == Job.GENERATE and job.state == Job.State.OPEN]
    newest = max(asking, key=lambda job: job.pk, default=None)
    since, before = (newest.started_at, max(0, total - newest.total)) if newest else (None, done)
    rate = work_rates.rate(done, total, since, min(before, done))
    return Progress(done, total, rate, (total - done) / rate if rate else None)


def _progress(run: Run, jobs_of_run: Iterable[Job], counts: dict[int, tuple[int, int]]) -> Progress:
    """The progress of the slowest job, because all jobs of a run cover the same examples."""
    current = [job for job in jobs_of_run if job.created_at >= (run.queued_at or run.created_at)]
    total = max((job.total for job in current), default=0)
    unfinished = [job for job in current if job.state != Job.State.DONE]
    remaining_counts = [job.total - job.done - counts.get(job.pk, (0, 0))[0] for job in unfinished]
    done = total - max(remaining_counts, default=0)
    if run.status != Run.Status.RUNNING or run.started_at is None:
        return Progress(done, total)
    again = max((counts.get(job.pk, (0, 0))[1] for job in unfinished if job.kind == Job.TEXT), default=0)
    before = min((job.done for job in current), default=0)
    rate = work_rates.rate(done, total, run.started_at, before)
    return Progress(done, total, rate, (total - done) / rate if rate else None, again)
