"""Parses answers of OpenAI-compatible servers, which differ in details."""

import base64
import binascii
import json
from collections import Counter
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from evaluations.clients.service_error import ServiceError
from evaluations.clients.tokens import MOST
from evaluations.numerals import grouped

Vector = NDArray[np.float32]


def vectors(body: bytes, count: int) -> tuple[list[Vector], int]:
    """The embeddings of `count` texts in the order they were sent, and the number of tokens by the server's count.

    Values may be numbers or base64 of little-endian float32; items are placed by `index`, or by position
    where none has one. Raises ServiceError (bad_answer) for anything else.
    """
    answer = parsed(body)
    items = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(items, list):
        raise bad_answer("it contains no embeddings")
    if len(items) != count:
        raise bad_answer(f"it contains {grouped(len(items))} embeddings for {grouped(count)} texts")
    return [_vector(item) for item in _in_order(items)], _tokens(answer)


def problem_with(vector: Vector, dimension: int) -> ServiceError | None:
    """Why an embedding cannot be compared with the others; None if it can."""
    if vector.size != dimension:
        return _unusable("odd_size", f"has {vector.size} values, the others {dimension}")
    if not np.isfinite(vector).all():
        return _unusable("not_finite", "contains NaN or infinity")
    if not vector.any():
        return _unusable("zero_vector", "is zero everywhere")
    return None


def usual_size(embeddings: list[Vector]) -> int:
    """The most frequent length of the vectors."""
    return Counter(vector.size for vector in embeddings).most_common(1)[0][0]


def model_names(body: bytes) -> list[str]:
    """The ids that `GET /models` lists."""
    answer = parsed(body)
    items = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(items, list):
        raise bad_answer("it lists no models")
    return [item["id"] for item in items if isinstance(item, dict) and isinstance(item.get("id"), str)]


def parsed(body: bytes) -> Any:
    """Parse JSON; a byte order mark and NaN are accepted, because some servers write them."""
    try:
        return orjson.loads(body.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError:
        pass
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise bad_answer("it is not JSON") from error


def bad_answer(reason: str) -> ServiceError:
    return ServiceError(f"The server's answer cannot be used: {reason}.", permanent=False, code="bad_answer")


def absurd_count(tokens: int) -> ServiceError:
    """The error for an answer that counts more tokens than any model has; asking again would be billed again."""
    counted = grouped(tokens) if tokens < 10**15 else "far too many"
    message = f"The server's answer cannot be used: it counts {counted} tokens, more than any model has."
    return ServiceError(message, permanent=True, code="bad_answer")


def _unusable(code: str, problem: str) -> ServiceError:
    return ServiceError(f"The server's embedding of this text {problem}.", permanent=True, code=code)


def _in_order(items: list[Any]) -> list[Any]:
    if not all(isinstance(item, dict) for item in items):
        raise bad_answer("its embeddings are not objects")
    indices = [item.get("index") for item in items]
    if all(index is None for index in indices):
        return items
    if any(type(index) is not int for index in indices) or sorted(indices) != list(range(len(items))):
        raise bad_answer("its indexes are not those of the texts")
    return sorted(items, key=lambda item: item["index"])


def _vector(item: dict[str, Any]) -> Vector:
    embedding = item.get("embedding")
    try:
        if isinstance(embedding, str):
            vector = np.frombuffer(base64.b64decode(embedding, validate=True), dtype="<f4")
        else:
            with np.errstate(over="ignore"):
                vector = np.asarray(embedding, dtype=np.float32)
    except (ValueError, TypeError, OverflowError, binascii.Error) as error:
        raise bad_answer("an embedding is not a list of numbers") from error
    if vector.ndim != 1 or not vector.size:
        raise bad_answer("an embedding is not a list of numbers")
    return vector.astype(np.float32, copy=True)


def _tokens(answer: dict[str, Any]) -> int:
    usage = answer.get("usage")
    counted = usage.get("total_tokens", usage.get("prompt_tokens")) if isinstance(usage, dict) else None
    if type(counted) is not int or counted < 0:
        return 0
    if counted > MOST:
        raise absurd_count(counted)
    return counted
