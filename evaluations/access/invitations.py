"""Invitations: links that add one person to a project, once."""

from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from evaluations.errors import Conflict, Forbidden, Gone
from evaluations.models import Invitation, Membership, Project

from . import tokens

DAYS = 7


def create(project: Project, by: User, role: str, email: str = "") -> tuple[Invitation, str]:
    """An invitation with its token, which is shown now and never again. `email` limits it to that person."""
    token = tokens.secret()
    invitation = Invitation.objects.create(
        project=project,
        role=role,
        email=email,
        digest=tokens.digest(token),
        created_by=by,
        expires_at=timezone.now() + timedelta(days=DAYS),
    )
    return invitation, token


def pending(project: Project) -> QuerySet[Invitation]:
    """Invitations that can still be accepted, newest first."""
    return _fresh().filter(project=project).select_related("created_by").order_by("-pk")


def _fresh() -> QuerySet[Invitation]:
    return Invitation.objects.filter(
        used_at=None, expires_at__gt=timezone.now(), project__deleted_at=None, created_by__is_active=True
    )


def find(token: str) -> Invitation:
    """The invitation with this token; raises `Gone` if it is used, withdrawn or expired. Reading does not use it up."""
    invitation = _fresh().select_related("project", "created_by").filter(digest=tokens.digest(token)).first()
    if invitation is None:
        raise Gone("invitation_gone", "This invitation was used, withdrawn, or it has expired.")
    return invitation


def accept(token: str, user: User) -> Project:
    """Make the user a member; raises `Gone`, `Forbidden` (made for another e-mail address) or `Conflict`."""
    invitation = find(token)
    if invitation.email and invitation.email.casefold() != user.email.casefold():
        raise Forbidden("invitation_for_another", "This invitation is for another e-mail address.")
    with transaction.atomic():
        if not _fresh().filter(pk=invitation.pk).update(used_at=timezone.now()):
            raise Gone("invitation_gone", "This invitation was used, withdrawn, or it has expired.")
        _, is_new = Membership.objects.get_or_create(
            project=invitation.project, user=user, defaults={"role": invitation.role}
        )
        if not is_new:
            raise Conflict("already_member", f"You are already in the project {invitation.project.name}.")
    return invitation.project


def sign_up(token: str, user: User) -> Project:
    """Store a new account with the e-mail address of the invitation, and its first membership."""
    with transaction.atomic():
        user.email = find(token).email
        user.save()
        return accept(token, user)


def withdraw(invitation: Invitation) -> None:
    """Delete an unused invitation; an accepted one stays."""
    Invitation.objects.filter(pk=invitation.pk, used_at=None).delete()
