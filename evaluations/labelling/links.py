"""Links for people without an account: one rater, one task, an end, and a way to withdraw them."""

from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from evaluations.access import tokens
from evaluations.errors import Conflict, Gone, Invalid
from evaluations.models import LabelTask, Rater, RaterLink
from evaluations.numerals import plural
from evaluations.values import LONGEST_RATER

from . import raters

DAYS, MOST_DAYS = 30, 365
MOST_LINKS = 500


def create(task: LabelTask, user: User | None, days: int = DAYS) -> tuple[RaterLink, str]:
    """A link with its token, which is shown now and never again."""
    if not 1 <= days <= MOST_DAYS:
        message = f"A link can work for 1 to {plural(MOST_DAYS, 'day')}."
        raise Invalid("invalid", message, fields={"days": [message]})
    if task.closed_at:
        raise Conflict("task_ended", "This task has ended; nobody labels in it any more.")
    if task.links.count() >= MOST_LINKS:
        raise Conflict("too_many_links", f"A task has at most {MOST_LINKS} links.")
    token = tokens.secret()
    link = RaterLink.objects.create(
        task=task,
        digest=tokens.digest(token),
        created_by=user,
        expires_at=timezone.now() + timedelta(days=days),
    )
    return link, token


def working() -> QuerySet[RaterLink]:
    """The links that let somebody label."""
    live = RaterLink.objects.filter(withdrawn_at=None, task__deleted_at=None, task__project__deleted_at=None)
    return live.filter(expires_at__gt=timezone.now()).select_related("task__version", "rater")


def find(token: str) -> RaterLink:
    """The link with this token; raises `Gone` if it is withdrawn or expired. Reading does not use it up."""
    link = working().filter(digest=tokens.digest(token)).first()
    if link is None:
        raise Gone("link_gone", "This link was withdrawn, or it has expired.", hint="Ask for a new one.")
    return link


def join(link: RaterLink, name: str) -> Rater:
    """The rater of a link: a new one with this name, or the one who came first, whatever the name."""
    name = name.strip()[:LONGEST_RATER]
    with transaction.atomic():
        link = (
            RaterLink.objects.select_for_update(of=("self",)).select_related("task", "rater").get(pk=link.pk)
        )
        if link.rater:
            return link.rater
        if not name:
            message = "Type a name, so that the people who ask know whose labels these are."
            raise Invalid("invalid", message, fields={"name": [message]})
        link.rater = raters.added(link.task, name=name)
        link.save(update_fields=["rater"])
    return link.rater


def withdraw(link: RaterLink) -> None:
    """End a link; the labels that were given by it stay."""
    RaterLink.objects.filter(pk=link.pk, withdrawn_at=None).update(withdrawn_at=timezone.now())
