"""Whose turn it is: every project gets an equal share of claims, whatever the number and size of its jobs.

The project that was served least is served next (`Share`). Within a project, the job that was served longest ago is,
but half of the times the smallest one, so that no small job waits behind hundreds of large ones.

A share is a record, not a lock: without one a project is served when the others have nothing, and the next sweep
creates it.
"""

import random

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet

from evaluations.models.run import Job, Share


def served_least(jobs: QuerySet[Job], kind: str, at_most: int) -> list[int]:
    """The projects of these jobs, those served least first."""
    shares = _claimed_from(jobs, kind)[:at_most]
    if projects := list(shares.values_list("project", flat=True)):
        return projects
    return list(jobs.order_by("turn", "pk").values_list("project", flat=True)[:1])


def _claimed_from(jobs: QuerySet[Job], kind: str) -> QuerySet[Share]:
    of_project = jobs.filter(project=OuterRef("project"))
    return Share.objects.filter(Exists(of_project), kind=kind).order_by("served", "pk")


def in_turn(jobs: QuerySet[Job], project: int, at_most: int) -> list[Job]:
    """The jobs of a project that may be served now, best first."""
    of_project = jobs.filter(project=project)
    by_turn = list(of_project.order_by("turn", "pk")[:at_most])
    if len(by_turn) < 2 or random.random() < 0.5:
        return by_turn
    return [*of_project.order_by("total", "pk")[:1], *by_turn]


def serve(job: Job) -> None:
    """Note, after the claim, that a job was served."""
    Share.objects.filter(kind=job.kind, project=job.project_id).update(served=F("served") + 1)


def after(kind: str, project: int) -> int:
    """The turn of a new or just served job: after all open ones of its project."""
    jobs = Job.objects.filter(kind=kind, project=project, state=Job.State.OPEN)
    last: int | None = jobs.order_by("-turn").values_list("turn", flat=True).first()
    return (last or 0) + 1


def join(jobs: QuerySet[Job], kind: str, project: int) -> None:
    """Let a project with new jobs be served like the others from now on, not for the time before."""
    others = _claimed_from(jobs, kind).exclude(project=project)
    least: int = others.values_list("served", flat=True).first() or 0
    share, is_new = Share.objects.get_or_create(kind=kind, project_id=project, defaults={"served": least})
    if not is_new and share.served < least:
        Share.objects.filter(pk=share.pk).update(served=least)


def tidy(kind: str) -> None:
    """Give projects with open jobs a share that they lack, and delete those of others."""
    jobs = Job.objects.filter(kind=kind, state=Job.State.OPEN)
    with transaction.atomic():
        Share.objects.filter(~Exists(jobs.filter(project=OuterRef("project"))), kind=kind).delete()
    shared = Share.objects.filter(kind=kind, project=OuterRef("project"))
    for project in jobs.filter(~Exists(shared)).values_list("project", flat=True).distinct().order_by():
        join(jobs, kind, project)
