"""`Idempotency-Key`: the same request sent twice does its work once and gets the same answer twice."""

import hashlib
from collections.abc import Callable
from typing import Any

import orjson
from django.db import transaction
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations import json_slices
from evaluations.errors import Conflict, Invalid
from evaluations.models import IdempotentAnswer

from .authentication import key_of
from .rendering import JSONRenderer

LONGEST = 255


def nothing() -> None:
    """The default of `prepare`."""


def check(request: Request) -> None:
    """Refuse an invalid key of any request, also of one that stores nothing."""
    key = request.headers.get("Idempotency-Key")
    if key is not None and not (0 < len(key) <= LONGEST and key.isprintable()):
        raise Invalid(
            "invalid_idempotency_key", f"An Idempotency-Key must have 1 to {LONGEST} printable characters."
        )


def once(
    request: Request, body: Any, create: Callable[[], Response], prepare: Callable[[], None] = nothing
) -> Response:
    """Answer with `create()`, or repeat the stored answer to the first request with this key. Refusals are not stored.

    `body` is the body as JSON, or the digest of a file. Claiming the key, creating and storing the answer are one
    transaction: of concurrent requests one works and the others wait for its answer, and a crash leaves nothing, not
    even a claimed key. Slow work, such as asking a name server, belongs in `prepare`, which runs before the
    transaction: SQLite has one writer at a time.
    """
    key = request.headers.get("Idempotency-Key")
    if key is None:
        prepare()
        return create()
    fingerprint = _fingerprint(request, body)
    if not IdempotentAnswer.objects.filter(api_key=key_of(request), key=key).exists():
        prepare()
    with transaction.atomic():
        answer, is_ours = IdempotentAnswer.objects.get_or_create(
            api_key=key_of(request), key=key, defaults={"fingerprint": fingerprint}
        )
        return _first(answer, create()) if is_ours else _again(answer, fingerprint)


def once_with_secret(
    request: Request,
    name: str,
    create: Callable[[], tuple[Response, str]],
    prepare: Callable[[], None] = nothing,
) -> Response:
    """The same with a secret, which the first answer has under this name; it is not stored, so a repeat has null."""
    secrets: list[str] = []

    def kept() -> Response:
        response, secret = create()
        secrets.append(secret)
        return response

    answer = once(request, request.data, kept, prepare)
    answer.data = answer.data | {name: secrets[0] if secrets else None}
    return answer


def _fingerprint(request: Request, body: Any) -> str:
    digest = hashlib.sha256()
    for part in json_slices.dumped([request.method, request.path, body]):
        digest.update(part)
    return digest.hexdigest()


def _first(answer: IdempotentAnswer, response: Response) -> Response:
    answer.status, answer.body = response.status_code, JSONRenderer().render(response.data).decode()
    answer.save(update_fields=["status", "body"])
    return response


def _again(answer: IdempotentAnswer, fingerprint: str) -> Response:
    if answer.fingerprint != fingerprint:
        raise Conflict(
            "idempotency_mismatch",
            "This Idempotency-Key was already used for a different request.",
            hint="Use a new key for every new request.",
        )
    return Response(
        orjson.loads(answer.body or "null"), answer.status, headers={"Idempotent-Replayed": "true"}
    )
