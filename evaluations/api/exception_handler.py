"""Turns every exception of a view into an error answer of one shape; `codes` has the texts."""

import math
from collections.abc import Iterator
from typing import Any

from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404, UnreadablePostError
from rest_framework import exceptions, status
from rest_framework.response import Response
from rest_framework.views import set_rollback

from evaluations import full_disk
from evaluations.errors import Refusal

from .codes import meaning
from .refusals import BY_STATUS, help_link, shape

RETRY_AFTER = "5"  # seconds, while the database or the storage is unavailable
BLANK = {"required", "blank", "null", "empty"}
CODES_OF_DRF = {"max_length", "unknown_field", "unknown_filter", "unused_filter", "invalid_choice"}


def handler(problem: Exception, context: dict[str, Any]) -> Response | None:
    """REST framework's exception handler; bugs propagate to Django's log and `json_errors`."""
    set_rollback()
    if isinstance(problem, Refusal):
        return _response(problem.as_dict(), problem.status, context, problem.headers)
    if isinstance(problem, exceptions.ValidationError):
        return _response(of_validation(problem), 400, context)
    code = status_of(problem)
    if code is None:
        return None
    error = {"code": BY_STATUS.get(code, "bad_request"), "message": _sentence(problem, code)}
    return _response(error, code, context, _headers(problem, code))


def status_of(problem: Exception) -> int | None:
    if isinstance(problem, exceptions.APIException):
        return problem.status_code
    if isinstance(problem, Http404):
        return status.HTTP_404_NOT_FOUND
    if isinstance(problem, PermissionDenied):
        return status.HTTP_403_FORBIDDEN
    if full_disk.is_cause_of(problem):
        return status.HTTP_507_INSUFFICIENT_STORAGE
    if isinstance(problem, OperationalError | InterfaceError):
        return status.HTTP_503_SERVICE_UNAVAILABLE
    return 400 if isinstance(problem, SuspiciousOperation | UnreadablePostError) else None


def _sentence(problem: Exception, code: int) -> str:
    """The sentence of REST framework, unless the meaning of the code says as much."""
    if isinstance(problem, exceptions.APIException) and code != status.HTTP_404_NOT_FOUND:
        return str(problem.detail)
    return meaning(BY_STATUS.get(code, "bad_request"))


def _headers(problem: Exception, code: int) -> dict[str, str]:
    if code == status.HTTP_503_SERVICE_UNAVAILABLE:
        return {"Retry-After": RETRY_AFTER}
    if isinstance(problem, exceptions.Throttled):
        return {"Retry-After": str(math.ceil(problem.wait))}  # type: ignore[attr-defined] # the stubs forgot it
    challenge = getattr(problem, "auth_header", None)
    return {"WWW-Authenticate": challenge} if challenge else {}


def _response(error: dict[str, Any], code: int, context: dict[str, Any], headers: Any = None) -> Response:
    body = dict(headers or {}) | help_link(error["code"])
    return Response(shape(error, context["request"]), status=code, headers=body)


# ---- validation errors -------------------------------------------------------------------------------------


def of_validation(problem: exceptions.ValidationError) -> dict[str, Any]:
    """The error object for the errors of a serializer: sentences by field, and the code of the first."""
    fields: dict[str, list[str]] = {}
    codes = []
    for path, detail in _leaves(problem.detail, ""):
        fields.setdefault(path, []).append(str(detail))
        codes.append(detail.code)
    code = next((c for c in codes if c in CODES_OF_DRF), None) or (
        "required" if codes[0] in BLANK else "invalid"
    )
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
