"""Who labels in a task: members, annotators who are asked, and people with a link.

Their names are for administrators.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, Max, Q, QuerySet

from evaluations.access import permissions
from evaluations.errors import Invalid
from evaluations.models import (
    ApiKey,
    EvaluatorVersion,
    Label,
    LabelTask,
    Membership,
    Rater,
    RaterLink,
    Role,
    Run,
    Seat,
)
from evaluations.models.project import Principal

from . import columns, presence


def ratable(principal: Principal) -> QuerySet[LabelTask]:
    """The tasks that a person, or the owner of a key, can know of: those of their projects, or in which they are asked.

    Whether they may label there is for `permissions` to say.
    """
    seen = LabelTask.objects.visible_to(principal)
    user = permissions.person(principal)
    if user is None or isinstance(principal, ApiKey):
        return seen.live()
    asked = LabelTask.objects.live().filter(
        project__deleted_at=None,
        people__user=user,
        project__memberships__user=user,
        project__memberships__role=Role.ANNOTATOR,
    )
    known = Q(pk__in=seen.values("pk")) | Q(pk__in=asked.values("pk"))
    return LabelTask.objects.live().filter(known)


def asked_of(user: User) -> QuerySet[LabelTask]:
    """The tasks in which somebody is asked to label as an annotator and that have not ended, the newest first."""
    mine = Membership.objects.filter(user=user, role=Role.ANNOTATOR).values("project")
    tasks = presence.shown().filter(people__user=user, project__in=mine, project__deleted_at=None)
    return (
        tasks.filter(closed_at=None)
        .select_related("version__evaluator", "project", "created_by")
        .order_by("-pk")
    )


def annotators(task: LabelTask) -> list[Membership]:
    """The annotators of the project who are not asked yet."""
    asked = task.people.exclude(user=None).values("user")
    members = task.project.memberships.filter(role=Role.ANNOTATOR).exclude(user__in=asked)
    return list(members.select_related("user").order_by("user__username"))


def ask(task: LabelTask, user: User) -> Rater:
    """Ask an annotator of the project; raises `Invalid` for anybody else."""
    if not Membership.objects.filter(project=task.project_id, user=user, role=Role.ANNOTATOR).exists():
        message = f"{user} is no annotator of this project."
        raise Invalid("invalid", message, fields={"person": [message]})
    return added(task, user=user)


def added(task: LabelTask, **who: Any) -> Rater:
    """The rater with this user, or a new one with this name and the next number."""
    with transaction.atomic():
        LabelTask.objects.select_for_update().get(pk=task.pk)
        if "user" in who and (known := Rater.objects.filter(task=task, **who).first()):
            return known
        last = task.people.aggregate(last=Max("number"))["last"] or 0
        return Rater.objects.create(task=task, number=last + 1, **who)


# ---- what is known of them -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Told:
    """A rater as `told` shows them: `name` is empty except for administrators; `seconds` is the median of a label."""

    number: int
    name: str
    done: int
    unsure: int
    seconds: float | None
    link: RaterLink | None
    is_forgotten: bool


def told(task: LabelTask, *, with_names: bool) -> list[Told]:
    """The raters of a task by number."""
    people = task.people.select_related("user", "link").order_by("number")
    stored = Label.objects.filter(item__task=task, withdrawn_at=None).values_list("rater", "seconds", "value")
    by_rater: dict[int, list[tuple[float | None, float | None]]] = {}
    for rater, seconds, value in stored:
        by_rater.setdefault(rater, []).append((seconds, value))
    return [_told(rater, by_rater.get(rater.pk, []), with_names) for rater in people]


def _told(rater: Rater, labels: Sequence[tuple[float | None, float | None]], with_names: bool) -> Told:
    seconds = [taken for taken, _ in labels if taken is not None]
    return Told(
        number=rater.number,
        name=name_of(rater) if with_names else "",
        done=len(labels),
        unsure=sum(value is None for _, value in labels),
        seconds=median(seconds) if seconds else None,
        link=getattr(rater, "link", None) if with_names else None,
        is_forgotten=rater.user_id is None and not rater.name,
    )


def name_of(rater: Rater) -> str:
    """The name of a rater, for administrators; empty for a forgotten one."""
    return rater.user.get_username() if rater.user else rater.name


def people(rated_by: Iterable[int]) -> int:
    """How many people these raters are: whoever labelled in several tasks, by account or by name, is one.

    So are those without a name whose labels were sent for each run.
    """
    found = Rater.objects.filter(pk__in=set(rated_by))
    known = found.values_list("user", "name", "task__drawn", "pk")
    return len(
        {user or name or (drawn, drawn == LabelTask.Drawn.SENT or pk) for user, name, drawn, pk in known}
    )


def who_labelled(version: EvaluatorVersion, runs: Iterable[Run]) -> int:
    """How many people labelled answers of these runs under a version of a label set, as far as columns count it."""
    of_runs = list(runs)
    labels = Label.objects.filter(
        Q(item__run__in=of_runs) | Q(item__other__in=of_runs),
        Q(item__task__changed_at=None) | Q(created_at__lt=F("item__task__changed_at")),
        version=version,
        withdrawn_at=None,
        item__task__deleted_at=None,
    ).exclude(item__task__drawn=LabelTask.Drawn.TRIAL)
    return people(labels.order_by().values_list("rater", flat=True).distinct())


# ---- leaving -------------------------------------------------------------------------------------------------


def forget(rater: Rater) -> None:
    """Remove name and account of a rater for good, and end their link. Their labels stay, of "Rater 2"."""
    with transaction.atomic():
        RaterLink.objects.filter(rater=rater).delete()
        _give_back(rater)
        Rater.objects.filter(pk=rater.pk).update(user=None, name="")


def delete_labels(rater: Rater) -> int:
    """Delete every label of a rater for good; returns how many. Their items are free for somebody else."""
    with transaction.atomic():
        task = LabelTask.objects.select_for_update().get(pk=rater.task_id)
        count, _ = Label.objects.filter(rater=rater).delete()
        Seat.objects.filter(rater=rater).update(
            rater=None, lease="", lease_until=None, begun_at=None, is_done=False
        )
        columns.mark(task)
        if task.closed_at:
            columns.publish(task)
    return count


def _give_back(rater: Rater) -> None:
    Seat.objects.filter(rater=rater, is_done=False).update(
        rater=None, lease="", lease_until=None, begun_at=None
    )
