"""What is read of a request, and how much at most."""

from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser, DataAndFiles, MultiPartParser
from rest_framework.request import Request

from evaluations.errors import Invalid, TooLarge
from evaluations.imports.uploads import LIMITS, check_space

from . import json_body
from .refusals import Unsupported

BODY = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
MEGABYTE = 1024 * 1024


class JSONParser(BaseParser):
    """An object, strictly: see `json_body`. A view with `takes_nul` stores nothing and takes any text."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> dict[str, Any]:
        view = (parser_context or {}).get("view")
        return json_body.as_object(json_body.parse(stream.read(), nul=getattr(view, "takes_nul", False)))


class UploadParser(MultiPartParser):
    """A form with one part named `file`."""

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> DataAndFiles:
        try:
            found = super().parse(stream, media_type, parser_context)
        except (ParseError, RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent) as wrong:
            raise Invalid("bad_multipart", f"The form cannot be read: {wrong}") from wrong
        if len(found.files.getlist("file")) != 1 or len(found.files) != 1:
            raise Invalid("one_file_expected", "Send one file, in a part named “file”.")
        if twice := [name for name, values in found.data.lists() if len(values) > 1]:
            raise Invalid("bad_multipart", f"The field “{twice[0]}” is sent twice.")
        json_body.refuse_characters(found.data.dict())
        return found


def check(request: Request) -> None:
    """Refuse a body by its headers, before any of it is read."""
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise Unsupported(
            "unsupported_encoding", "Bodies are read as they are.", hint="Send no Content-Encoding."
        )
    length = request.headers.get("Content-Length") or ""
    if not length and "Transfer-Encoding" in request.headers:
        raise Unmeasured("length_required", "The length of a body must be said.", hint="Send Content-Length.")
    is_form = (request.content_type or "").startswith("multipart/")
    most = LIMITS.file_bytes + MEGABYTE if is_form else BODY
    if length.isdigit() and int(length[:20]) > most:
        raise TooLarge("body_too_large", f"The body has more than {most // MEGABYTE} MB.")
    if is_form and length.isdigit():
        check_space(int(length))


class Unmeasured(Invalid):
    """A body whose length is not known."""

    status = 411
