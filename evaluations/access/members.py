"""Members of a project and their roles. A project always has an administrator."""

from django.db import transaction
from django.utils import timezone

from evaluations.errors import Conflict, Invalid
from evaluations.models import ApiKey, Invitation, Membership, Project, Role

from . import audit


def change(membership: Membership, role: str) -> Membership:
    """Give a member another role; raises `Conflict` for the last administrator."""
    if role not in Role.values:
        raise Invalid("invalid", f"The role must be one of {', '.join(Role.values)}.")
    with transaction.atomic():
        if role != Role.ADMIN:
            _keep_an_admin(membership)
            _withdraw_invitations(membership)
        audit.note(before=membership.role, role=role)
        membership.role = role
        membership.save(update_fields=["role"])
    return membership


def remove(membership: Membership) -> None:
    """Remove a member and revoke their keys for the project; the keys stay revoked if they join again."""
    with transaction.atomic():
        _keep_an_admin(membership)
        _withdraw_invitations(membership)
        keys = ApiKey.objects.filter(project=membership.project_id, owner=membership.user_id, revoked_at=None)
        keys.update(revoked_at=timezone.now())
        membership.delete()


def _keep_an_admin(leaving: Membership) -> None:
    """Refuse if no other administrator would stay; locks the rows, so that two cannot leave at once."""
    admins = Membership.objects.select_for_update().filter(project=leaving.project_id, role=Role.ADMIN)
    if [admin.pk for admin in admins] == [leaving.pk]:
        raise Conflict(
            "last_admin",
            "This is the last administrator of the project.",
            hint="Make someone else an administrator first.",
        )


def _withdraw_invitations(membership: Membership) -> None:
    """Delete the unused invitations of a former administrator."""
    links = Invitation.objects.filter(
        project=membership.project_id, created_by=membership.user_id, used_at=None
    )
    links.delete()


def memberships(project: Project) -> list[Membership]:
    """The members by name."""
    return list(project.memberships.select_related("user").order_by("user__username"))
