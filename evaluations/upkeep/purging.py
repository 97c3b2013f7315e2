"""Purges deleted objects in slices: one DELETE of a million rows held SQLite's lock for 2.9 s."""

import time
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from functools import reduce
from itertools import chain
from operator import or_
from typing import Any

from axes.models import AccessAttempt
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import Length

from evaluations import bulk, disk_space, leases
from evaluations.engine import chores, consumption, queue
from evaluations.imports.uploads import uploads
from evaluations.models import (
    Answer,
    AuditEntry,
    Block,
    Budget,
    CachedAnswer,
    Comment,
    Connection,
    Dataset,
    DatasetImport,
    Embedding,
    Evaluator,
    Example,
    Experiment,
    ExperimentEvaluator,
    Gate,
    IdempotentAnswer,
    Invitation,
    LabelTask,
    Launch,
    Output,
    Project,
    Prompt,
    Record,
    RecordColumn,
    Run,
    SavedMapping,
    SavedView,
    Scoring,
    Session,
    ShareLink,
    SignInLink,
    Spending,
    Split,
    Verdict,
)
from evaluations.owned import UNDO
from evaluations.playground import trials
from evaluations.webhooks import sending

from . import retention, uses

SLICE = 5_000
FORGOTTEN = 500  # rows of a cache per slice
TURN = 5.0  # seconds of a sweep
OWNED = (LabelTask, Gate, Split, Run, Experiment, Dataset, Prompt, Connection, Evaluator, SavedMapping)
ANSWERS_KEPT = timedelta(days=1)
INVITATIONS_KEPT = timedelta(days=30)
HOURLY = timedelta(hours=1)


def purge() -> None:
    """Purge everything that can no longer be restored, and unconfirmed files. Safe at any time, and repeatedly.

    A step that fails is logged, and does not stop the others.
    """
    chores.run_each(EVERY_SWEEP)
    if leases.due("forget", HOURLY):
        chores.run_each(EVERY_HOUR)


# ---- objects deleted more than 7 days ago, in every sweep ---------------------------------------------------


def _expired() -> Q:
    return Q(deleted_at__lt=leases.now() - UNDO)


def mark_things_of_expired_projects() -> None:
    """Mark everything owned by expired projects, so that the following steps purge it."""
    expired = Project.objects.filter(_expired())
    for model in OWNED:
        model.objects.live().filter(project__in=expired).update(deleted_at=leases.now() - 2 * UNDO)


def purge_runs() -> None:
    in_expired_experiment = Q(experiment__in=Experiment.objects.filter(_expired()))
    _for_a_turn(map(_removing_run, Run.objects.filter(_expired() | in_expired_experiment)))


def purge_removed_records() -> None:
    """Purge columns of sent scores that were removed too long ago to be brought back."""
    removed = RecordColumn.objects.filter(removed_at__lt=leases.now() - UNDO)
    _for_a_turn(map(_removing_records, removed))


def purge_experiments() -> None:
    _without_forgetting_uses(Experiment.objects.filter(_expired(), runs=None)).delete()


def purge_datasets() -> None:
    """Purge expired datasets, and those whose first import failed, once its file is no longer kept."""
    nothing = Q(status=Dataset.Status.FAILED, version=0, failed_import=None)
    failed = nothing & Q(created_at__lt=leases.now() - UNDO)
    _for_a_turn(map(_removing_dataset, Dataset.objects.filter(_expired() | failed, experiments=None)))


def purge_label_tasks() -> None:
    """Purge tasks with their items and labels; the columns that the labels became stay with their runs."""
    LabelTask.objects.filter(_expired()).delete()


def purge_comments() -> None:
    Comment.objects.filter(_expired()).delete()


def purge_connections() -> None:
    Connection.objects.filter(_expired()).delete()


def purge_evaluators() -> None:
    """Purge evaluators without a version used by a run or experiment."""
    version = Q(evaluator_version__evaluator=OuterRef("pk"))
    users = (Scoring, RecordColumn, ExperimentEvaluator)
    is_used = reduce(or_, (Exists(model.objects.filter(version)) for model in users))
    asked = Exists(LabelTask.objects.filter(version__evaluator=OuterRef("pk")))
    Evaluator.objects.filter(_expired()).exclude(is_used | asked).delete()


def purge_gates() -> None:
    _without_forgetting_uses(Gate.objects.filter(_expired())).delete()


def purge_splits() -> None:
    """Purge splits; runs keep the examples that they were asked."""
    _without_forgetting_uses(Split.objects.filter(_expired())).delete()


def purge_mappings() -> None:
    SavedMapping.objects.filter(_expired()).delete()


def purge_shares() -> None:
    """Purge saved views, and links that were ended or expired too long ago to be brought back."""
    SavedView.objects.filter(_expired()).delete()
    ShareLink.objects.filter(_expired() | Q(expires_at__lt=leases.now() - UNDO)).delete()


def purge_prompts() -> None:
    Prompt.objects.filter(_expired()).delete()


def purge_cached_answers() -> None:
    """Purge the cached answers of expired projects."""
    expired = CachedAnswer.objects.filter(project__in=Project.objects.filter(_expired()))
    _for_a_turn([_removing_cached_answers(expired)])


def purge_launches() -> None:
    """Purge launches without runs; then budgets that nothing has, with their calls."""
    Launch.objects.filter(generations=None).delete()
    unused = Budget.objects.filter(month="", launch=None, trial=None, judgings=None, allowances=None)
    _for_a_turn(map(_removing_budget, unused))


def purge_projects() -> None:
    """Purge expired projects once their large tables, which are purged in slices, are empty."""
    owners = [model.objects.filter(project=OuterRef("pk")) for model in (*OWNED, CachedAnswer)]
    owners.append(Budget.objects.filter(project=OuterRef("pk"), month=""))
    for project in Project.objects.filter(_expired(), *(~Exists(owned_objects) for owned_objects in owners)):
        project.delete()


# ---- data that is not useful any more, once an hour ------------------------------------------------------------


def forget_vectors() -> None:
    forget_oldest(Embedding, "vector", settings.EVALSITE_EMBEDDINGS_MB * 1_000_000)


def forget_cached_answers() -> None:
    forget_oldest(CachedAnswer, "body", settings.EVALSITE_ANSWERS_MB * 1_000_000)


def forget_oldest(model: type[Embedding | CachedAnswer], column: str, maximum: int) -> None:
    """Delete the oldest rows of a cache, in slices, until the column holds at most `maximum` bytes."""
    size_left = model.objects.aggregate(size=Sum(Length(column)))["size"] or 0
    while size_left > maximum:
        oldest = model.objects.order_by("created_at").values_list("digest", Length(column))
        leaving = []
        for digest, size in oldest[:FORGOTTEN]:
            if size_left > maximum:
                leaving.append(bytes(digest))
                size_left -= size
        model.objects.filter(digest__in=leaving).delete()


def forget_dry_runs() -> None:
    DatasetImport.objects.filter(is_dry_run=True, created_at__lt=leases.now() - UNDO).delete()


def forget_answers() -> None:
    IdempotentAnswer.objects.filter(created_at__lt=leases.now() - ANSWERS_KEPT).delete()


def forget_sessions() -> None:
    Session.objects.filter(expire_date__lt=leases.now()).delete()


def forget_signin_links() -> None:
    SignInLink.objects.filter(expires_at__lt=leases.now()).delete()


def forget_invitations() -> None:
    Invitation.objects.filter(expires_at__lt=leases.now() - INVITATIONS_KEPT).delete()


def forget_failed_signins() -> None:
    AccessAttempt.objects.filter(attempt_time__lt=leases.now() - settings.AXES_COOLOFF_TIME).delete()


def forget_old_audit_entries() -> None:
    if settings.EVALSITE_AUDIT_DAYS:
        forget_audit_entries(leases.now() - timedelta(days=settings.EVALSITE_AUDIT_DAYS))


def forget_audit_entries(before: datetime) -> None:
    """Delete entries older than `before`; ids ascend with time."""
    oldest = AuditEntry.objects.order_by("pk").values_list("pk", "at")
    while expired := [pk for pk, at in oldest[:SLICE] if at < before]:
        AuditEntry.objects.filter(pk__in=expired).delete()


EVERY_SWEEP = (
    uploads.clear_interrupted,
    uploads.forget_unconfirmed,
    retention.delete_old,
    mark_things_of_expired_projects,
    purge_runs,
    purge_removed_records,
    purge_experiments,
    purge_launches,
    purge_datasets,
    purge_label_tasks,
    purge_comments,
    purge_connections,
    purge_evaluators,
    purge_prompts,
    purge_gates,
    purge_splits,
    purge_mappings,
    purge_shares,
    purge_cached_answers,
    purge_projects,
    disk_space.shorten_log,
)
EVERY_HOUR = (
    uploads.forget_orphans,
    trials.forget_old,
    forget_vectors,
    forget_cached_answers,
    forget_answers,
    forget_dry_runs,
    forget_sessions,
    forget_signin_links,
    forget_invitations,
    forget_failed_signins,
    forget_old_audit_entries,
    sending.forget_old,
    consumption.forget_workers,
)


# ---- an object with its rows ----------------------------------------------------------------------------------


def _without_forgetting_uses(objects: QuerySet[Any]) -> QuerySet[Any]:
    """Store the last uses of these objects' datasets; returns the objects, which may then be deleted."""
    for dataset in set(objects.values_list("dataset", flat=True)):
        uses.remember(dataset)
    return objects


def _for_a_turn(removals: Iterable[Iterator[None]]) -> None:
    """Purge for `TURN` seconds; the next sweep continues, and the worker is free for other tasks meanwhile."""
    until = time.monotonic() + TURN
    for _ in chain.from_iterable(removals):
        if time.monotonic() > until:
            return


def _removing_cached_answers(rows: QuerySet[CachedAnswer]) -> Iterator[None]:
    while digests := [bytes(digest) for digest in rows.values_list("digest", flat=True)[:FORGOTTEN]]:
        CachedAnswer.objects.filter(digest__in=digests).delete()
        yield


def _removing_run(run: Run) -> Iterator[None]:
    """Delete a run, yielding after each slice."""
    queue.cancel_jobs(run)
    uses.remember(run.experiment.dataset_id)
    for behind in bulk.slices_from_the_end(run.outputs.all(), SLICE):
        Output.objects.filter(run=run, position__gt=behind).delete()
        Answer.objects.filter(run=run, position__gt=behind).delete()
        yield
    for column in run.record_columns.all():
        yield from _removing_records(column)
    yield from _removing_verdicts(run)
    for scored in run.scorings.all():
        Block.objects.filter(scoring=scored).delete()
    run.delete()


def _removing_verdicts(run: Run) -> Iterator[None]:
    """Delete what judges said about a run, yielding after each slice."""
    for judging in run.judgings.all():
        queue.cancel_jobs(judging)
    while slice_of := list(run.verdicts.order_by("pk").values_list("pk", flat=True)[:SLICE]):
        Verdict.objects.filter(pk__in=slice_of).delete()
        yield


def _removing_records(column: RecordColumn) -> Iterator[None]:
    """Delete a column of records, yielding after each slice."""
    stored = Record.objects.filter(column=column).order_by("-example")
    while (last := stored.values_list("example", flat=True).first()) is not None:
        stored.filter(example__gt=last - SLICE).delete()
        yield
    column.delete()


def _removing_budget(budget: Budget) -> Iterator[None]:
    """Delete a budget and its calls; their cost still counts in the monthly budget."""
    calls = Spending.objects.filter(budget=budget).order_by("pk").values_list("pk", flat=True)
    while few := list(calls[:SLICE]):
        Spending.objects.filter(pk__in=few).delete()
        yield
    budget.delete()


def _removing_dataset(dataset: Dataset) -> Iterator[None]:
    stored = Example.objects.filter(dataset=dataset)
    for behind in bulk.slices_from_the_end(stored, SLICE):
        stored.filter(position__gt=behind).delete()
        yield
    with transaction.atomic():
        dataset.delete()
