"""ETag and If-Match: whoever changes a thing can say which state of it was seen."""

import re

import orjson
from django.utils.crypto import salted_hmac
from rest_framework.request import Request

from evaluations.errors import Invalid

from .refusals import Changed

TAG = r'(W/)?"[!#-~]*"'
TAGS = rf"^(\*|{TAG}( *, *{TAG})*)$"


def etag(*state: object) -> str:
    """The name of a state, as the header spells it; nobody without our secret guesses the state by it."""
    return f'"{salted_hmac("etag", orjson.dumps(state, default=str)).hexdigest()[:20]}"'


def require_match(request: Request, current: str) -> None:
    """Raise `Changed` unless If-Match is absent, `*`, or names the current state."""
    wanted = request.headers.get("If-Match", "*")
    if not re.search(TAGS, wanted):
        raise Invalid("invalid_if_match", "If-Match is * or ETags, each in its quotes, with commas between.")
    if wanted != "*" and current not in re.split(" *, *", wanted):
        raise Changed(
            "changed_meanwhile",
            "This was changed since you read it.",
            hint="Read it again, and send its ETag as If-Match.",
        )
