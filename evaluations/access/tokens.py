"""Secrets that people and programs carry: random texts, of which only a digest is stored."""

import hashlib
import secrets

SECRET_BYTES = 32


def secret() -> str:
    """A new secret of 256 random bits, fit for an address."""
    return secrets.token_urlsafe(SECRET_BYTES)


def digest(text: str) -> str:
    """The digest under which a secret is stored. Secrets are random and long, so a plain hash is enough."""
    return hashlib.sha256(text.encode()).hexdigest()
