"""One form for every answer that is not what was asked for; see `codes` for the words."""

from collections.abc import Callable, Iterator
from typing import Any

from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from rest_framework import exceptions, status
from rest_framework.response import Response
from rest_framework.views import set_rollback

from evaluations import errors
from evaluations.errors import Refusal

from .codes import SENTENCES

RETRY_AFTER = "5"  # seconds
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
    503: "database_unavailable",
}
BLANK = {"required", "blank", "null", "empty"}
KEPT = {"max_length", "unknown_field", "unknown_filter", "invalid_choice"}


class NotFound(errors.NotFound):
    """A thing that does not exist, or that this key cannot see: nobody learns which."""

    def __init__(self, what: str = "", field: str = ""):
        sentence = f"There is no {what}." if what else SENTENCES["not_found"]
        super().__init__("not_found", sentence, fields={field: [sentence]} if field else None)


class Unsupported(Refusal):
    """A body in a form that is not read here."""

    status = 415


class Changed(Refusal):
    """If-Match named a state that is past."""

    status = 412


def handler(problem: Exception, context: dict[str, Any]) -> Response | None:
    """REST framework's exception handler; a bug goes on to Django's log and `JSONErrors`."""
    set_rollback()
    if isinstance(problem, Refusal):
        return _response(problem.as_dict(), problem.status, context)
    if isinstance(problem, exceptions.ValidationError):
        return _response(of_validation(problem), 400, context)
    code = status_of(problem)
    if code is None:
        return None
    found = {"code": BY_STATUS.get(code, "bad_request"), "message": _sentence(problem, code)}
    return _response(found, code, context, _headers(problem, code))


def status_of(problem: Exception) -> int | None:
    if isinstance(problem, exceptions.APIException):
        return problem.status_code
    if isinstance(problem, Http404):
        return status.HTTP_404_NOT_FOUND
    if isinstance(problem, PermissionDenied):
        return status.HTTP_403_FORBIDDEN
    if isinstance(problem, OperationalError | InterfaceError):
        return status.HTTP_503_SERVICE_UNAVAILABLE
    return 400 if isinstance(problem, SuspiciousOperation | UnreadablePostError) else None


def _sentence(problem: Exception, code: int) -> str:
    """REST framework's own sentence where it says more than the code does."""
    telling = isinstance(problem, exceptions.APIException) and code not in (404, 503)
    return str(problem.detail) if telling else SENTENCES[BY_STATUS.get(code, "bad_request")]


def _headers(problem: Exception, code: int) -> dict[str, str]:
    if code == status.HTTP_503_SERVICE_UNAVAILABLE:
        return {"Retry-After": RETRY_AFTER}
    challenge = getattr(problem, "auth_header", None)
    return {"WWW-Authenticate": challenge} if challenge else {}


def _response(found: dict[str, Any], code: int, context: dict[str, Any], headers: Any = None) -> Response:
    return Response(shape(found, context["request"]), status=code, headers=headers)


def shape(found: dict[str, Any], request: Any) -> dict[str, Any]:
    return {"error": found | {"request_id": getattr(request, "id", "")}}


# ---- bodies that do not fit --------------------------------------------------------------------------------


def of_validation(problem: exceptions.ValidationError) -> dict[str, Any]:
    """The error object of a serializer's findings: sentences by field, and the code of the first."""
    fields: dict[str, list[str]] = {}
    codes = []
    for path, detail in _leaves(problem.detail, ""):
        fields.setdefault(path, []).append(str(detail))
        codes.append(detail.code)
    code = next((c for c in codes if c in KEPT), None) or ("required" if codes[0] in BLANK else "invalid")
    path, sentences = next(iter(fields.items()))
    return {"code": code, "message": f"{path}: {sentences[0]}" if path else sentences[0], "fields": fields}


def _leaves(detail: Any, path: str) -> Iterator[tuple[str, exceptions.ErrorDetail]]:
    if isinstance(detail, dict):
        for name, inner in detail.items():
            yield from _leaves(inner, path if name == "non_field_errors" else f"{path}.{name}".lstrip("."))
    elif isinstance(detail, list):
        for number, inner in enumerate(detail):
            nested = isinstance(inner, dict | list)
            yield from _leaves(inner, f"{path}[{number}]" if nested else path)
    else:
        yield path, detail


# ---- answers that Django gave ------------------------------------------------------------------------------


class JSONErrors:
    """Middleware: whatever goes wrong under /api/ before or after our views is told in the same form."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        is_json = response.headers.get("Content-Type", "").startswith("application/json")
        if response.status_code < 400 or is_json or not request.path_info.startswith("/api/"):
            return response
        code = BY_STATUS.get(response.status_code, "bad_request")
        code = "internal_error" if response.status_code == 500 else code
        found = {"code": code, "message": SENTENCES[code]}
        return JsonResponse(shape(found, request), status=response.status_code)
