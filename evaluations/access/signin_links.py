"""Links that sign a person in once, within an hour."""

from datetime import timedelta

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone

from evaluations.models import SignInLink

from . import tokens

LINK_HOURS = 1


def make_signin_link(user: User) -> str:
    """The token of a new link."""
    token = tokens.secret()
    expires_at = timezone.now() + timedelta(hours=LINK_HOURS)
    SignInLink.objects.create(user=user, digest=tokens.digest(token), expires_at=expires_at)
    return token


def use_signin_link(token: str) -> User | None:
    """The user of an unused, unexpired link, which is used up by this; else None."""
    usable = _unused(token).filter(user__is_active=True)
    if not usable.update(used_at=timezone.now()):
        return None
    return User.objects.get(pk=SignInLink.objects.get(digest=tokens.digest(token)).user_id)


def is_usable(token: str) -> bool:
    """Whether a link would still sign somebody in; this does not use it up."""
    return _unused(token).exists()


def _unused(token: str) -> QuerySet[SignInLink]:
    return SignInLink.objects.filter(digest=tokens.digest(token), used_at=None, expires_at__gt=timezone.now())
