"""Checks the base URL of a connection before it is saved."""

import re

import httpx2

from evaluations.clients.addresses import Guard
from evaluations.clients.hosts import literal_address
from evaluations.clients.service_error import ServiceError

MAX_URL = 2_000
FORBIDDEN = re.compile(r"[\x00-\x20\x7f\\]")
AUTHORITY = re.compile(r"https?://(?:\[[^\]/]*\]|[^/:\[\]]*)(?P<port>:[^/]*)?(?:/|$)", re.IGNORECASE)
PORT = re.compile(r":0*[1-9][0-9]{0,4}")
LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?", re.IGNORECASE)


def check_url(url: str, guard: Guard, seconds: float = 2.0, *, may_query: bool = False) -> None:
    """Raise `ServiceError` (`scheme`, `invalid_url` or `address_not_allowed`) for a base URL that cannot be used.

    A name that does not resolve now is accepted: its address is checked again at every connection.
    """
    if len(url) > MAX_URL or FORBIDDEN.search(url):
        raise _invalid("it is too long, or contains spaces, control characters or backslashes")
    if not re.match(r"https?://", url, re.IGNORECASE):
        raise ServiceError("The URL must begin with http:// or https://.", permanent=True, code="scheme")
    host, port = host_and_port(url, may_query)
    try:
        guard.addresses(host, port, seconds)
    except ServiceError as error:
        if error.permanent:
            raise


def host_and_port(url: str, may_query: bool = False) -> tuple[str, int]:
    """The host and port of a base URL; raises `ServiceError` (`invalid_url`)."""
    try:
        parsed = httpx2.URL(url)
    except (httpx2.InvalidURL, UnicodeError) as error:
        raise _invalid("it cannot be read") from error
    if parsed.userinfo or "@" in url or "#" in url or ("?" in url and not may_query):
        raise _invalid("user names, queries and fragments are not allowed")
    written = AUTHORITY.match(url)
    if not written or (written["port"] and not PORT.fullmatch(written["port"])):
        raise _invalid("its port is not a number from 1 to 65535")
    port = parsed.port or (443 if parsed.scheme == "https" else 80)
    if port > 65_535:
        raise _invalid("its port is not a number from 1 to 65535")
    host = parsed.raw_host.decode("ascii")
    if not literal_address(host) and not _is_host_name(host):
        raise _invalid("its host is not a valid host name")
    return host, port


def _is_host_name(host: str) -> bool:
    """Labels of letters, digits, hyphens and underscores (which Docker allows); one trailing dot."""
    labels = host.removesuffix(".").split(".")
    return len(host) <= 254 and all(map(LABEL.fullmatch, labels))


def _invalid(reason: str) -> ServiceError:
    return ServiceError(f"This is not a valid URL: {reason}.", permanent=True, code="invalid_url")
