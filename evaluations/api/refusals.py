"""The shape of all error answers; `codes` has the texts."""

from typing import Any

from django.urls import reverse

from evaluations import errors
from evaluations.errors import Refusal

from .codes import meaning

BY_STATUS = {
    400: "bad_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    413: "body_too_large",
    415: "unsupported_media_type",
    429: "too_many_requests",
    431: "head_too_large",
    500: "internal_error",
    501: "unsupported_transfer_encoding",
    503: "database_unavailable",
    507: "storage_full",
}


def help_link(code: str) -> dict[str, str]:
    """The Link header to the meaning and remedy of a code."""
    return {"Link": f'<{reverse("error-codes")}#{code}>; rel="help"'}


def shape(error: dict[str, Any], request: Any) -> dict[str, Any]:
    return {"error": error | {"request_id": getattr(request, "id", "")}}


class NotFound(errors.NotFound):
    """The object does not exist or is hidden from this key; the answer does not say which."""

    def __init__(self, noun: str = "", field: str = ""):
        sentence = f"This project has no {noun}." if noun else meaning("not_found")
        super().__init__("not_found", sentence, fields={field: [sentence]} if field else None)


class Unsupported(Refusal):
    """A body of a type or encoding that this address does not read."""

    status = 415


class Changed(Refusal):
    """If-Match named an older state (412)."""

    status = 412
