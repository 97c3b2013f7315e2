"""Encrypts secrets in the database with a key derived from the site's secret key; older keys can still decrypt."""

import base64
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings


class Unreadable(Exception):
    """The secret was encrypted with a key that this site does not have any more."""


def seal(owner: int, secret: str) -> str:
    """Encrypt a secret, bound to its owner's id, so that it is useless in another row."""
    return _box().encrypt(f"{owner}:{secret}".encode()).decode()


def unseal(owner: int, sealed: str) -> str:
    """Decrypt a secret; raises `Unreadable`."""
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
