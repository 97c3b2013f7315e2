"""What only its maker and administrators delete and restore, whatever else they may do in the project."""

from typing import TypeVar

from django.utils import timezone

from evaluations import owned
from evaluations.errors import Forbidden
from evaluations.models.owned import Owned
from evaluations.models.project import Principal

from . import permissions

Thing = TypeVar("Thing", bound=Owned)


def delete(principal: Principal, target: Owned) -> None:
    """Delete an object; raises `Forbidden` for all but its maker and administrators."""
    require(principal, target)
    type(target).objects.filter(pk=target.pk).update(deleted_at=timezone.now())


def restore(principal: Principal, target: Thing) -> Thing:
    """Undo a deletion, under the same rule."""
    require(principal, target)
    return owned.restore(target)


def require(principal: Principal, target: Owned) -> None:
    user = permissions.person(principal)
    is_maker = target.created_by_id == (user.pk if user else None)
    if not is_maker and "admin" not in permissions.allowed(principal, target.project):
        what = target._meta.verbose_name
        message = f"Only who made this {what} and administrators can change, delete or restore it."
        hint = f"{permissions.who_can(target.project, permissions.allowed(principal, target.project))} can do that."
        raise Forbidden("forbidden", message, hint=hint)
