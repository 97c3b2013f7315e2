"""API keys: created, found by their secret text, listed and revoked."""

import hmac
import secrets
from collections.abc import Iterable, Sequence
from datetime import timedelta
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone

from evaluations.errors import Forbidden, Invalid
from evaluations.models import ApiKey, Project, Scope

from . import tokens
from .permissions import allowed

NOTE_USE_EVERY = timedelta(minutes=5)  # A write for every call would hold SQLite's lock.


def create_key(
    project: Project,
    owner: User | None,
    name: str,
    scope: str,
    expires_in: timedelta | None = None,
    addresses: Sequence[str] = (),
) -> tuple[ApiKey, str]:
    """Create a key; returns it with its secret text, which is shown now and never again.

    `addresses`: networks in CIDR notation that may use it; empty for every address.
    """
    if scope not in Scope.values:
        raise Invalid("invalid", f"The scope of a key must be one of {', '.join(Scope.values)}.")
    prefix = secrets.token_hex(4)
    text = f"evk_{prefix}_{tokens.secret()}"
    key = ApiKey.objects.create(
        project=project,
        owner=owner,
        name=name,
        scope=scope,
        prefix=prefix,
        digest=tokens.digest(text),
        addresses=[str(network) for network in networks(addresses)],
        expires_at=timezone.now() + expires_in if expires_in else None,
    )
    return key, text


def networks(texts: Iterable[str]) -> list[IPv4Network | IPv6Network]:
    """The networks in CIDR notation, or single addresses; `Invalid` names the first that is neither."""
    return [_network(text) for text in texts]


def _network(text: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(text.strip())
    except ValueError as problem:
        raise Invalid(
            "invalid",
            f"{text.strip()!r} is not a network: {problem}.",
            hint="Such as 10.1.0.0/16 or 2001:db8::7.",
        ) from problem


def require_address(key: ApiKey, address: str) -> None:
    """Raise `Forbidden` if the key may not be used from this address."""
    if key.addresses and not any(ip_address(address) in network for network in networks(key.addresses)):
        raise Forbidden(
            "key_address_not_allowed",
            f"This key cannot be used from {address}.",
            hint="Its owner limited it to other addresses; make a new key to change them.",
        )


def find_key(text: str) -> ApiKey | None:
    """The live key with this secret text; None if it is unknown, revoked or expired, or its owner has left."""
    prefix = text.removeprefix("evk_")[:8]
    key = ApiKey.objects.select_related("project", "owner").filter(prefix=prefix).first()
    if key is None or not hmac.compare_digest(key.digest, tokens.digest(text)) or not _is_live(key):
        return None
    _note_use(key)
    return key


def _is_live(key: ApiKey) -> bool:
    now = timezone.now()
    if key.revoked_at or key.project.deleted_at or (key.expires_at and key.expires_at <= now):
        return False
    return key.owner is None or (key.owner.is_active and bool(allowed(key.owner, key.project)))


def _note_use(key: ApiKey) -> None:
    now = timezone.now()
    if key.last_used_at is None or now - key.last_used_at > NOTE_USE_EVERY:
        ApiKey.objects.filter(pk=key.pk).update(last_used_at=now)


def keys_of(user: User) -> QuerySet[ApiKey]:
    """A person's own keys that are not revoked, newest first."""
    return ApiKey.objects.filter(owner=user, revoked_at=None).select_related("project").order_by("-pk")


def keys_in(project: Project) -> QuerySet[ApiKey]:
    """All keys of a project that are not revoked, newest first."""
    return ApiKey.objects.filter(project=project, revoked_at=None).select_related("owner").order_by("-pk")


def revoke_key(key: ApiKey) -> None:
    """Refuse the key from now on; revoking it again changes nothing."""
    ApiKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=timezone.now())
