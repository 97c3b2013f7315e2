"""Accounts of the site: listed, disabled and enabled by its administrators.

Accounts are created by invitations, by OpenID Connect (`identities`) and by `createsuperuser`.
"""

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Exists, OuterRef, QuerySet

from evaluations.errors import Conflict, Forbidden
from evaluations.models import SecondFactor

from . import sessions, signin_links


def require_administrator(user: User) -> None:
    """Raise `Forbidden` unless the user administers the site."""
    if not user.is_superuser:
        raise Forbidden("forbidden", "Only site administrators can do this.")


def listed() -> QuerySet[User]:
    """All accounts by name, with the number of their projects."""
    return User.objects.annotate(
        project_count=Count("memberships"),
        has_second_factor=Exists(SecondFactor.objects.filter(user=OuterRef("pk"))),
    ).order_by("username")


def disable(user: User, by: User) -> None:
    """Refuse the user's sessions, keys and links from now on; their work stays. `Conflict` for one's own account."""
    if user == by:
        raise Conflict("own_account", "This is your own account.", hint="Ask another administrator.")
    with transaction.atomic():
        User.objects.filter(pk=user.pk).update(is_active=False)
        sessions.end_all(user)


def enable(user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_active=True)


def signin_link(user: User) -> str:
    """A sign-in token for a user who lost the password; `Conflict` if the account is disabled."""
    if not user.is_active:
        raise Conflict("account_disabled", "This account is disabled.", hint="Enable it first.")
    return signin_links.make_signin_link(user)
