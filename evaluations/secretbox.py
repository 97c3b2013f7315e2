"""Secrets in the database, encrypted with a key derived from the site's secret key; older keys can still read."""

import base64
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings


class Unreadable(Exception):
    """The secret was encrypted with a key that this site no longer has."""


def seal(owner: int, secret: str) -> str:
    """`secret` for storage, bound to its owner's id so that it cannot be moved to another row."""
    return _box().encrypt(f"{owner}:{secret}".encode()).decode()


def unseal(owner: int, sealed: str) -> str:
    """The secret in plain text; raises `Unreadable`."""
    try:
        bound_to, _, secret = _box().decrypt(sealed).decode().partition(":")
    except InvalidToken as error:
        raise Unreadable from error
    if bound_to != str(owner):
        raise Unreadable
    return secret


def _box() -> MultiFernet:
    return MultiFernet([_fernet(key) for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)])


@lru_cache
def _fernet(site_key: str) -> Fernet:
    derived = HKDF(SHA256(), 32, salt=None, info=b"evalsite secrets").derive(site_key.encode())
    return Fernet(base64.urlsafe_b64encode(derived))
