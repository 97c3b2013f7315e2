"""ETag and If-Match: whoever changes a thing can say which state of it was seen."""

import hashlib

import orjson
from rest_framework.request import Request

from .refusals import Changed


def etag(*state: object) -> str:
    """The name of a state, as the header spells it."""
    return f'"{hashlib.sha256(orjson.dumps(state, default=str)).hexdigest()[:20]}"'


def require_match(request: Request, current: str) -> None:
    """Raise `Changed` unless If-Match is absent, `*`, or names the current state."""
    wanted = request.headers.get("If-Match")
    if wanted is None or wanted.strip() == "*":
        return
    if current not in [tag.strip() for tag in wanted.split(",")]:
        raise Changed(
            "changed_meanwhile",
            "This was changed since you read it.",
            hint="Read it again, and send its ETag as If-Match.",
        )
