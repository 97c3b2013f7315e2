"""Accounts of the site: listed, disabled and enabled by its administrators.

Accounts are created by invitations, by OpenID Connect (`identities`) and by `createsuperuser`.
"""

from importlib import import_module

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Count, QuerySet
from django.utils import timezone

from evaluations.errors import Conflict, Forbidden

from . import signin_links


def require_administrator(user: User) -> None:
    """Raise `Forbidden` unless the user administers the site."""
    if not user.is_superuser:
        raise Forbidden("forbidden", "Only site administrators can do this.")


def listed() -> QuerySet[User]:
    """All accounts by name, with the number of their projects."""
    return User.objects.annotate(project_count=Count("memberships")).order_by("username")


def disable(user: User, by: User) -> None:
    """Refuse the user's sessions, keys and links from now on; their work stays. `Conflict` for one's own account."""
    if user == by:
        raise Conflict("own_account", "This is your own account.", hint="Ask another administrator.")
    with transaction.atomic():
        User.objects.filter(pk=user.pk).update(is_active=False)
        _end_sessions(user)


def _end_sessions(user: User) -> None:
    """End all sessions: after being enabled again, the user must sign in."""
    store = import_module(settings.SESSION_ENGINE).SessionStore
    rows = Session.objects.filter(expire_date__gt=timezone.now()).values_list("session_key", "session_data")
    of_user = [
        key
        for key, session_data in rows.iterator()
        if store().decode(session_data).get(SESSION_KEY) == str(user.pk)
    ]
    Session.objects.filter(session_key__in=of_user).delete()


def enable(user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_active=True)


def signin_link(user: User) -> str:
    """A sign-in token for a user who lost the password; `Conflict` if the account is disabled."""
    if not user.is_active:
        raise Conflict("account_disabled", "This account is disabled.", hint="Enable it first.")
    return signin_links.make_signin_link(user)
