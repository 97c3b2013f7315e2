"""The cache of paid answers, from which repeated questions of a project are answered at no cost.

The key of an answer is everything that shapes it: base URL, request (messages, model, parameters, schema, tools) and
repetition. Failures are never kept. The sweep removes the oldest answers beyond EVALSITE_ANSWERS_MB.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from operator import itemgetter
from typing import Any

import orjson
from django.conf import settings

from evaluations.clients.chat_client import Answer as ChatAnswer
from evaluations.clients.tokens import Tokens
from evaluations.files.text import clean
from evaluations.models import CachedAnswer, Connection, Project
from evaluations.values import canonical_json

KEYS_AT_ONCE = 500


def key(connection: Connection, repetition: int, earlier_equal: int, body: dict[str, Any]) -> bytes:
    """The cache key of an answer; `earlier_equal` counts the launch's or trial's earlier variants with this request."""
    # A query may choose another model; headers are secret, and who is asked stays the same.
    address = [connection.base_url, connection.query] if connection.query else connection.base_url
    parts = [connection.project_id, address, repetition, earlier_equal, body]
    return hashlib.sha256(canonical_json(parts).encode("utf-8", "surrogatepass")).digest()


def recall(keys: Sequence[bytes]) -> dict[bytes, ChatAnswer]:
    """The cached answers by key."""
    answers: dict[bytes, ChatAnswer] = {}
    for start in range(0, len(keys), KEYS_AT_ONCE):
        rows = CachedAnswer.objects.filter(digest__in=keys[start : start + KEYS_AT_ONCE])
        answers |= {
            bytes(digest): _unpacked(bytes(body)) for digest, body in rows.values_list("digest", "body")
        }
    return answers


def remember(project: Project, answers: Iterable[tuple[bytes, ChatAnswer]]) -> None:
    """Cache usable answers; existing ones stay. Sorted, so that concurrent workers cannot deadlock."""
    rows = [
        CachedAnswer(digest=digest, project=project, body=_packed(answer))
        for digest, answer in sorted(answers, key=itemgetter(0))
        if not answer.failure
    ]
    if rows and settings.EVALSITE_ANSWERS_MB > 0:
        CachedAnswer.objects.bulk_create(rows, ignore_conflicts=True)


def _packed(answer: ChatAnswer) -> bytes:
    fields = asdict(answer)
    del fields["left"]  # It holds at the moment of the call only.
    return clean(canonical_json(fields)).encode()


def _unpacked(body: bytes) -> ChatAnswer:
    fields = orjson.loads(body)
    tokens = fields.pop("tokens")
    return ChatAnswer(**fields, tokens=Tokens(**tokens) if tokens else None)
