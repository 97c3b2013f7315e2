"""What is deleted for good: a slice at a time, because one DELETE of a million rows held SQLite's lock for 2.9 s."""

from datetime import datetime, timedelta

from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from evaluations import leases
from evaluations.evaluators import embeddings
from evaluations.imports import uploads
from evaluations.models import (
    AuditEntry,
    Block,
    Connection,
    Dataset,
    Evaluator,
    Example,
    Experiment,
    IdempotentAnswer,
    Invitation,
    Output,
    Project,
    Run,
    SignInLink,
)
from evaluations.owned import UNDO
from evaluations.scoring import jobs

SLICE = 5_000
OWNED = (Run, Experiment, Dataset, Connection, Evaluator)
FAILED_KEPT = timedelta(days=1)
ANSWERS_KEPT = timedelta(days=1)
INVITATIONS_KEPT = timedelta(days=30)
FORGET_EVERY = timedelta(hours=1)


def purge() -> None:
    """Remove what nobody can restore any more, and files nobody confirmed. Safe at any time, and twice."""
    uploads.forget_old()
    gone = Q(deleted_at__lt=timezone.now() - UNDO)
    failed = Q(status=Dataset.Status.FAILED, version=0, created_at__lt=timezone.now() - FAILED_KEPT)
    gone_projects = Project.objects.filter(gone)
    for model in OWNED:
        model.objects.live().filter(project__in=gone_projects).update(deleted_at=timezone.now() - 2 * UNDO)
    for run in Run.objects.filter(gone | Q(experiment__in=Experiment.objects.filter(gone))):
        purge_run(run)
    Experiment.objects.filter(gone, runs=None).delete()
    for dataset in Dataset.objects.filter(gone | failed, experiments=None):
        purge_dataset(dataset)
    Connection.objects.filter(gone).delete()
    Evaluator.objects.filter(gone, versions__scorings=None, versions__experiments=None).delete()
    for project in gone_projects:
        if not any(model.objects.filter(project=project).exists() for model in OWNED):
            project.delete()
    embeddings.forget_oldest(settings.EVALSITE_EMBEDDINGS_MB * 1_000_000)
    if leases.due("forget", FORGET_EVERY):
        forget_expired()


def forget_expired() -> None:
    """Remove what is of no use any more: nothing that people come and go by may grow for ever."""
    now = timezone.now()
    IdempotentAnswer.objects.filter(created_at__lt=now - ANSWERS_KEPT).delete()
    Session.objects.filter(expire_date__lt=now).delete()
    SignInLink.objects.filter(expires_at__lt=now).delete()
    Invitation.objects.filter(expires_at__lt=now - INVITATIONS_KEPT).delete()
    AccessAttempt.objects.filter(attempt_time__lt=now - settings.AXES_COOLOFF_TIME).delete()
    if settings.EVALSITE_AUDIT_DAYS:
        forget_audit_entries(now - timedelta(days=settings.EVALSITE_AUDIT_DAYS))


def forget_audit_entries(before: datetime) -> None:
    """Remove the entries older than that; they were stored in the order of their ids."""
    oldest = AuditEntry.objects.order_by("pk").values_list("pk", "at")
    while gone := [pk for pk, at in oldest[:SLICE] if at < before]:
        AuditEntry.objects.filter(pk__in=gone).delete()


def purge_run(run: Run) -> None:
    jobs.call_off(run)
    while last := run.outputs.order_by("-position").values_list("position", flat=True).first():
        Output.objects.filter(run=run, position__gt=last - SLICE).delete()
    for scored in run.scorings.all():
        Block.objects.filter(scoring=scored).delete()
    run.delete()


def purge_dataset(dataset: Dataset) -> None:
    stored = Example.objects.filter(dataset=dataset)
    while last := stored.order_by("-position").values_list("position", flat=True).first():
        stored.filter(position__gt=last - SLICE).delete()
    with transaction.atomic():
        dataset.delete()
