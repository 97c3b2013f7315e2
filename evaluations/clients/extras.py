"""Rules for the headers and the query that a connection adds to each request."""

from collections.abc import Mapping

from evaluations.clients.service_error import ServiceError
from evaluations.linear import Pattern

MOST = 20
LONGEST = 2_000  # characters of a value
NAME = Pattern(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
VALUE = Pattern(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
QUERY_NAME = Pattern(r"[\x21-\x7e]{1,100}")
# Headers of the connection itself, and of the body that it sends.
OURS = {
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "host",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
}


def check_headers(headers: Mapping[str, str]) -> None:
    """Raise `ServiceError` (invalid_headers) for headers that no request can carry, or that belong to it."""
    if len(headers) > MOST:
        raise _invalid("invalid_headers", f"a connection can have at most {MOST}")
    for name, value in headers.items():
        lower = name.lower()
        if not NAME.fullmatch(name):
            raise _invalid("invalid_headers", f"{name[:100]!r} is not a name of letters, digits and hyphens")
        if lower in OURS or lower.startswith("proxy-"):
            raise _invalid("invalid_headers", f"{name} is set by each request itself")
        if len(value) > LONGEST or not VALUE.fullmatch(value):
            raise _invalid("invalid_headers", f"the value of {name} is empty, too long, or not plain ASCII")
    if len({name.lower() for name in headers}) < len(headers):
        raise _invalid("invalid_headers", "a name is repeated")


def check_query(query: Mapping[str, str]) -> None:
    """Raise `ServiceError` (invalid_query) for a query that no address can have."""
    if len(query) > MOST:
        raise _invalid("invalid_query", f"a connection can have at most {MOST} parameters")
    for name, value in query.items():
        if not QUERY_NAME.fullmatch(name) or len(value) > LONGEST or not value.isprintable():
            raise _invalid("invalid_query", f"{name[:100]!r} or its value cannot be sent")


def check_api_version(api_version: str) -> None:
    if api_version and not NAME.fullmatch(api_version):
        raise _invalid("invalid_api_version", "it must be one word, such as 2024-10-21")


def _invalid(code: str, reason: str) -> ServiceError:
    return ServiceError(f"These cannot be used: {reason}.", permanent=True, code=code)
