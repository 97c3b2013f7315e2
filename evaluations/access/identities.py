"""Sign-in by OpenID Connect: finds or creates the account of a person, or refuses.

Sign-up stays closed: a person without an account needs an invitation or an address of an allowed domain.
"""

from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import User
from django.utils.crypto import get_random_string

from evaluations.errors import Forbidden

from . import invitations


@dataclass(frozen=True)
class Identity:
    """Facts from the provider: a verified e-mail address, or "", and the person's name."""

    email: str
    name: str


def is_of_provider(user: User) -> bool:
    """Whether the person has signed in at the provider, which can then ask them again."""
    if not settings.OIDC:
        return False
    accounts: Any = apps.get_app_config("socialaccount").get_model("SocialAccount")
    return bool(accounts.objects.filter(user=user).exists())


def welcome(identity: Identity, token: str = "") -> User:
    """The account for a first sign-in; created if `token` invites the person or the domain is allowed.

    An account belongs to the person if exactly one has the verified address: people cannot change it themselves.
    """
    same = list(User.objects.filter(email__iexact=identity.email)[:2]) if identity.email else []
    if len(same) == 1:
        return allowed(same[0])
    if same:
        raise Forbidden("email_shared", f"Several accounts have the address {identity.email}.")
    if token:
        return _invited(identity, token)
    if identity.email.rpartition("@")[2].lower() in settings.OIDC_DOMAINS:
        return _create(identity)
    raise Forbidden(
        "not_invited",
        f"No account has the address {identity.email}."
        if identity.email
        else "Your provider sent no verified e-mail address.",
        hint="Ask an administrator for an invitation and open its link.",
    )


def allowed(user: User) -> User:
    """The user; raises `Forbidden` if the account is disabled."""
    if not user.is_active:
        raise Forbidden("account_disabled", "This account is disabled.", hint="Ask an administrator.")
    return user


def _invited(identity: Identity, token: str) -> User:
    invitation = invitations.find(token)
    if invitation.email and invitation.email.casefold() != identity.email.casefold():
        raise Forbidden("invitation_for_another", "This invitation is for another e-mail address.")
    user = _named(identity)
    invitations.sign_up(token, user)
    if identity.email:
        user.email = identity.email
        user.save(update_fields=["email"])
    return user


def _create(identity: Identity) -> User:
    user = _named(identity)
    user.save()
    return user


def _named(identity: Identity) -> User:
    """An unsaved account without a password, under a free user name."""
    full_name = identity.name or identity.email.partition("@")[0] or "person"
    base = "".join(letter for letter in full_name if letter.isalnum() or letter in "@.+-_")[:100] or "person"
    is_free = not User.objects.filter(username__iexact=base).exists()
    user = User(username=base if is_free else f"{base}-{get_random_string(6).lower()}", email=identity.email)
    user.set_unusable_password()
    return user
