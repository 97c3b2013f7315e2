"""Splits texts into the batches in which embeddings are requested."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from evaluations.clients.service_error import ServiceError

BATCH_SIZE = 256
BATCH_CHARACTERS = 250_000


@dataclass(frozen=True)
class Batch:
    """The texts of one call. `held_texts` wait until a single text shows whether the server refuses all.

    `attempt` is the number of this call for them, from 1; `pause` is the time to wait before it, in seconds.
    """

    texts: list[str]
    held_texts: list[str] = field(default_factory=list)
    divisible: bool = False
    attempt: int = 1
    pause: float = 0.0


def problem_with(text: str) -> ServiceError | None:
    if not text.strip():
        return ServiceError("A blank text has no embedding.", permanent=True, code="blank")
    try:
        text.encode()
    except UnicodeEncodeError:
        message = "This text contains half a surrogate pair, which no server accepts."
        return ServiceError(message, permanent=True, code="invalid_character")
    return None


def batches_of(texts: Iterable[str]) -> list[Batch]:
    batches: list[Batch] = []
    room = 0
    for text in texts:
        if not batches or len(batches[-1].texts) == BATCH_SIZE or len(text) > room:
            batches.append(Batch([]))
            room = BATCH_CHARACTERS
        batches[-1].texts.append(text)
        room -= len(text)
    return batches


def halves(texts: list[str]) -> list[Batch]:
    middle = len(texts) // 2
    return [Batch(half, divisible=True) for half in (texts[middle:], texts[:middle]) if half]
