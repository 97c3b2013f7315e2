"""Parsers of JSON bodies and multipart forms, with limits on their size."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser, DataAndFiles, MultiPartParser
from rest_framework.request import Request

from evaluations.access import limits
from evaluations.errors import Invalid, TooLarge
from evaluations.imports.uploads.uploads import LIMITS, check_space
from evaluations.numerals import grouped

from . import json_body
from .refusals import Unsupported

BODY = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
MEGABYTE = 1024 * 1024
LARGE = 2 * MEGABYTE
LARGE_BODIES = BoundedSemaphore(1)
PATIENCE = 5  # seconds that a large body waits for the one before it


class JSONParser(BaseParser):
    """Parses a strict JSON object (`json_body`). A view with `takes_nul` stores nothing, so it accepts NUL in texts."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> dict[str, Any]:
        context = parser_context or {}
        view, request = context.get("view"), context.get("request")
        if view and request and body_length(request) > LARGE:
            view.resources.enter_context(turn())
        return json_body.as_object(json_body.parse(stream.read(), nul=getattr(view, "takes_nul", False)))


@contextmanager
def turn() -> Iterator[None]:
    """Allow one large body at a time in this process: one of 32 MB takes up to ten times its size in memory.

    Meanwhile no garbage is collected: the collector would hold all other requests for as long as it looks at the
    values of the body, which hold no circles.
    """
    with limits.one_of(LARGE_BODIES, "Another large request is being stored.", PATIENCE):
        gc.disable()
        try:
            yield
        finally:
            gc.enable()


class UploadParser(MultiPartParser):
    """Parses a multipart form with one file, in the part `file`."""

    def parse(
        self, stream: Any, media_type: Any = None, parser_context: Any = None
    ) -> "DataAndFiles[Any, Any]":
        try:
            form = super().parse(stream, media_type, parser_context)
        except (RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent) as wrong:
            raise Invalid(
                "bad_multipart", "The form has too many fields or files, or too long ones."
            ) from wrong
        except ParseError as wrong:
            raise Invalid("bad_multipart", f"The form cannot be read: {wrong}") from wrong
        if len(form.files.getlist("file")) != 1 or len(form.files) != 1:
            raise Invalid("one_file_expected", "Send one file, in a part named “file”.")
        if repeated := [name for name, values in form.data.lists() if len(values) > 1]:
            raise Invalid("bad_multipart", f"The field “{repeated[0]}” is sent more than once.")
        json_body.refuse_characters(form.data.dict())
        return form


def check(request: Request) -> None:
    """Refuse a body by its headers, before it is read."""
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise Unsupported(
            "unsupported_encoding", "Compressed bodies are not accepted.", hint="Send no Content-Encoding."
        )
    if not request.headers.get("Content-Length") and "Transfer-Encoding" in request.headers:
        raise Unmeasured("length_required", "A Content-Length header is required.")
    is_form = (request.content_type or "").startswith("multipart/")
    maximum = LIMITS.file_bytes + MEGABYTE if is_form else BODY
    if body_length(request) > maximum:
        raise TooLarge("body_too_large", f"The body has more than {grouped(maximum // MEGABYTE)} MB.")
    if is_form:
        check_space(body_length(request))


def body_length(request: Request) -> int:
    """The number in the Content-Length header; 0 if there is none."""
    length = request.headers.get("Content-Length") or ""
    return int(length[:20]) if length.isdigit() else 0


class Unmeasured(Invalid):
    """A body without a Content-Length header."""

    status = 411
