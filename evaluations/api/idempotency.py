"""`Idempotency-Key`: the same request sent twice does its work once and gets the same answer twice."""

import hashlib
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import orjson
from django.db import transaction
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.errors import Conflict, Invalid
from evaluations.models import IdempotentAnswer

from .rendering import JSONRenderer

LONGEST = 255
GIVEN_UP = timedelta(minutes=5)  # Longer than any request: whoever began has ended without an answer.


def nothing() -> None:
    """What has to be done before most things are created."""


def once(
    request: Request, body: Any, create: Callable[[], Response], prepare: Callable[[], None] = nothing
) -> Response:
    """Answer by `create()`, or as the first request with this key was answered. A refusal is not remembered.

    `body` is what was sent, as JSON; of a file its digest. What is created and the answer are stored in one
    transaction, so that no crash leaves the one without the other. What takes long, such as asking a name
    server, belongs into `prepare`, which comes before: an open transaction is SQLite's only one.
    """
    key = request.headers.get("Idempotency-Key")
    if key is None:
        prepare()
        return create()
    if not 0 < len(key) <= LONGEST or not (key.isascii() and key.isprintable()):
        raise Invalid(
            "invalid_idempotency_key", f"An Idempotency-Key has 1 to {LONGEST} printable ASCII characters."
        )
    fingerprint = _fingerprint(request, body)
    claim, is_ours = _claim(request, key, fingerprint)
    if not is_ours:
        return _again(claim, fingerprint)
    try:
        prepare()
        with transaction.atomic():
            response = create()
            _keep(claim, response)
    finally:
        IdempotentAnswer.objects.filter(pk=claim.pk, status=None, created_at=claim.created_at).delete()
    return response


def _fingerprint(request: Request, body: Any) -> str:
    sent = orjson.dumps([request.method, request.path, body], option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(sent).hexdigest()


def _claim(request: Request, key: str, fingerprint: str) -> tuple[IdempotentAnswer, bool]:
    """The answer under this key and whether it is ours to give: by the constraint, one request gets it."""
    claim, is_new = IdempotentAnswer.objects.get_or_create(
        api_key=request.auth, key=key, defaults={"fingerprint": fingerprint}
    )
    if is_new or claim.status is not None or claim.fingerprint != fingerprint:
        return claim, is_new
    now = timezone.now()
    left = IdempotentAnswer.objects.filter(pk=claim.pk, status=None, created_at__lt=now - GIVEN_UP)
    claim.created_at = now
    return claim, bool(left.update(created_at=now))


def _keep(claim: IdempotentAnswer, response: Response) -> None:
    mine = IdempotentAnswer.objects.filter(pk=claim.pk, status=None, created_at=claim.created_at)
    body = JSONRenderer().render(response.data).decode()
    if not mine.update(status=response.status_code, body=body):
        raise _in_progress()


def _again(claim: IdempotentAnswer, fingerprint: str) -> Response:
    if claim.fingerprint != fingerprint:
        raise Conflict(
            "idempotency_mismatch",
            "This Idempotency-Key was used for another request.",
            hint="Take a new key for every new request.",
        )
    if claim.status is None:
        raise _in_progress()
    return Response(orjson.loads(claim.body), claim.status, headers={"Idempotent-Replayed": "true"})


def _in_progress() -> Conflict:
    return Conflict(
        "idempotency_in_progress",
        "The first request with this Idempotency-Key is still going on.",
        hint="Send it again in a moment.",
    )
