"""Addresses in the settings: mistakes in them are refused without showing the passwords that they may contain."""

import re
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

ENCODE = "python3 -c 'import getpass, urllib.parse; print(urllib.parse.quote(getpass.getpass(), safe=str()))'"
AUTHORITY = re.compile(r"[a-z0-9.+-]+://([^/?#]*)([^?#]*)(.*)", re.IGNORECASE | re.DOTALL)
PLAIN_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)*")


def public(address: str) -> str:
    """EVALSITE_URL without a slash at its end; it has a scheme, a host, and perhaps a port and a path."""
    address = address.rstrip("/")
    if not address:
        return ""
    try:
        parts = urlsplit(address)
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_whole = False
    if not is_whole or parts.query or parts.fragment or "@" in parts.netloc:
        raise ImproperlyConfigured(
            "EVALSITE_URL must be the public address, such as https://eval.example.com or "
            "https://example.com/evals, without a user name, ? or #."
        )
    if not PLAIN_PATH.fullmatch(parts.path):
        raise ImproperlyConfigured(
            "The path of EVALSITE_URL may have letters, digits, and . _ ~ - between single slashes."
        )
    return address


def require_encoded(name: str, address: str) -> str:
    """The address of a database, broker or proxy; refused if its user name or password is not percent-encoded."""
    match = AUTHORITY.fullmatch(address)
    if match and not _is_encoded(*match.groups()):
        raise ImproperlyConfigured(
            f"The user name or password in {name} has a character that must be percent-encoded, such as "
            f"/ ? # @ % [ ] or a blank. This prints a password encoded: {ENCODE}"
        )
    return address


def _is_encoded(authority: str, path: str, rest: str) -> bool:
    """Whether a URL is read as it was meant: what looks like a second host shows that a password was cut off."""
    user, at, host = authority.rpartition("@")
    if re.search(r"%(?![0-9A-Fa-f]{2})|[@\[\]\s]", user) or "@" in path or rest.startswith("#"):
        return False
    if not at and "@" in rest and not re.match(r"\?[A-Za-z_]+=", rest):
        return False
    port = host.rpartition("]")[2].rpartition(":")[2] if ":" in host.rpartition("]")[2] else ""
    return port.isdigit() or not port
