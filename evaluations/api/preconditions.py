"""ETag and If-Match: a client names the state that it changes, so that concurrent changes are noticed."""

import orjson
from django.utils.crypto import salted_hmac
from django.utils.http import parse_etags
from rest_framework.request import Request

from evaluations.errors import Invalid

from .refusals import Changed


def etag(*state: object) -> str:
    """The ETag of a state. It is signed, so that the state cannot be guessed from it."""
    return f'"{salted_hmac("etag", orjson.dumps(state, default=str)).hexdigest()[:20]}"'


def require_match(request: Request, current: str | None) -> None:
    """Raise `Changed` unless If-Match is absent, `*`, or names the current state."""
    header = request.headers.get("If-Match", "*")
    tags = parse_etags(header)
    if len(tags) < len(header.split(",")):
        raise Invalid(
            "invalid_if_match", "If-Match must be * or ETags in double quotes, separated by commas."
        )
    if tags != ["*"] and current not in tags:
        raise Changed(
            "changed_meanwhile",
            "The object was changed since you read it.",
            hint="Read it again, and send its ETag as If-Match.",
        )
