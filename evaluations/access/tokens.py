"""Random secrets for keys and links. The database stores only their digests."""

import hashlib
import secrets

SECRET_BYTES = 32


def secret() -> str:
    """A new secret of 256 random bits, in characters that a URL allows."""
    return secrets.token_urlsafe(SECRET_BYTES)


def digest(text: str) -> str:
    """The digest under which a secret is stored. Secrets are random and long, so a plain hash is enough."""
    return hashlib.sha256(text.encode()).hexdigest()
