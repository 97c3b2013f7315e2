"""Accounts of the site: listed, disabled and enabled by its administrators.

Accounts are created by invitations, by OpenID Connect (`identities`) and by `createsuperuser`.
"""

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Exists, OuterRef, QuerySet

from evaluations.errors import Conflict, Forbidden
from evaluations.models import SecondFactor

from . import sessions, signin_links

MOST_NAMED = 3  # administrators whom a refusal names


def require_administrator(user: User, what: str = "do this") -> None:
    """Raise `Forbidden` unless the user administers the site; it names whom to ask."""
    if not user.is_superuser:
        admins = User.objects.filter(is_superuser=True, is_active=True).order_by("pk")
        names = list(admins.values_list("username", flat=True)[: MOST_NAMED + 1])
        hint = f"Ask {' or '.join(names)}." if 0 < len(names) <= MOST_NAMED else ""
        raise Forbidden("forbidden", f"Only site administrators can {what}.", hint=hint)


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
