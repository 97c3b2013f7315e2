"""Tests a server: which models it lists, and whether one of them answers chats, embeds texts, or both."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TypeVar

from evaluations import numerals
from evaluations.clients import answers, chat_client
from evaluations.clients.server import Server
from evaluations.clients.service_error import ServiceError

# These failures show their own code. All others become `no_answer`, so that a test cannot scan ports.
API_CODES = {"unauthorized", "forbidden", "not_found", "refused", "too_many", "rate_limited"}
# If listing models fails with one of these, the test ends. Other servers may work without a list.
FATAL_CODES = {"unauthorized", "forbidden", "rate_limited"}
# Errors of servers that chat well, but have no list of models.
LISTLESS = {"not_found", "http_error", "refused"}
NO_LIST = (
    "The server was reached, but it lists no models, as some gateways do not. Enter the name of a model, and test "
    "again: if that works, nothing is missing. If it does not, check that the base URL ends where the API begins, "
    "usually with /v1."
)
REACHED = API_CODES | {"http_error", "unavailable", "bad_answer"}
# Errors by which a server reports that it, or the model, lacks this feature.
UNABLE = {"not_found", "refused", "too_many", "http_error"}
Answered = TypeVar("Answered")


@dataclass(frozen=True)
class Probe:
    """The result of a test. `chat` and `embeddings` are None if not tested; `dimension` is that of the embeddings."""

    ok: bool
    message: str
    code: str | None = None
    milliseconds: float | None = None
    dimension: int | None = None
    models: list[str] = field(default_factory=list)
    chat: bool | None = None
    embeddings: bool | None = None


def failed(error: ServiceError) -> Probe:
    return Probe(False, error.message, error.code if error.code in API_CODES else "no_answer")


def probe(server: Server, model: str, seconds: float) -> Probe:
    """List the models; then ask `model`, or the first listed one if it is "", for a word of chat and an embedding."""
    began = time.monotonic()
    try:
        models = server.models(seconds)
    except ServiceError as error:
        if not model and error.code in LISTLESS:
            return Probe(False, f"{NO_LIST} It said: {error.message}", error.code)
        if not model or error.code in FATAL_CODES or error.code not in REACHED:
            return failed(error)
        models = []
    listed = (time.monotonic() - began) * 1_000
    if not model:
        return _probe_listed(server, models, listed, max(0.1, seconds - listed / 1_000))
    return _probe_model(server, model, models, max(0.1, seconds - listed / 1_000))


def _probe_listed(server: Server, models: list[str], listed: float, seconds: float) -> Probe:
    """A server can list models to a key that may not ask them. The first may be for images: then the list counts."""
    lists = f"The server lists {numerals.plural(len(models), 'model')}."
    found = _probe_model(server, models[0], models, seconds) if models else None
    if found and (found.ok or found.code in FATAL_CODES):
        return replace(found, message=f"{lists} {found.message}")
    unanswered = f" {models[0]}, the first, did not answer: name the model that you use." if models else ""
    return Probe(True, lists + unanswered, None, listed, None, models)


def _probe_model(server: Server, model: str, models: list[str], seconds: float) -> Probe:
    """Test chat and embeddings at the same time, because a server may first have to load the model."""
    began = time.monotonic()
    with ThreadPoolExecutor(1) as pool:
        chatting = pool.submit(_tried, lambda: _chat(server, model, seconds))
        size, chat = _tried(lambda: _embedding(server, model, seconds)), chatting.result()
    chats, embeds = not isinstance(chat, ServiceError), not isinstance(size, ServiceError)
    unlisted = f" The server does not list the model {model}." if models and model not in models else ""
    return Probe(
        ok=chats or embeds,
        message=_words(model, chat, size) + unlisted,
        code=None if chats or embeds else failed(_likelier(chat, size)).code,
        milliseconds=(time.monotonic() - began) * 1_000 if chats or embeds else None,
        dimension=None if isinstance(size, ServiceError) else size,
        models=models,
        chat=chats,
        embeddings=embeds,
    )


def _words(model: str, chat: str | ServiceError, size: int | ServiceError) -> str:
    if isinstance(size, ServiceError):
        if isinstance(chat, ServiceError):
            return _likelier(chat, size).message
        return f"{model} answers chat. {_without('embeddings', size)}"
    embeds = f"gives embeddings of {size} dimensions"
    if isinstance(chat, ServiceError):
        return f"{model} {embeds}. {_without('chat', chat)}"
    return f"{model} answers chat and {embeds}."


def _without(feature: str, error: ServiceError) -> str:
    """The sentence for a failed feature: the model does not offer it, or the error."""
    return f"It gives no {feature}." if error.code in UNABLE else f"No {feature}: {error.message}"


def _likelier(chat: str | ServiceError, size: int | ServiceError) -> ServiceError:
    """The more informative of two failures: a server may lack one of the two endpoints altogether."""
    failures = [error for error in (chat, size) if isinstance(error, ServiceError)]
    return next((error for error in failures if error.code not in UNABLE), failures[0])


def _tried(ask: Callable[[], Answered]) -> Answered | ServiceError:
    try:
        return ask()
    except ServiceError as error:
        return error


def _chat(server: Server, model: str, seconds: float) -> str:
    """The name of the model that answers. One token is enough; a truncated or empty answer counts."""
    question = [{"role": "user", "content": "Say OK."}]
    body = {"model": model, "messages": question, "max_completion_tokens": 1}
    return chat_client.read(server.chat(body, seconds)[0]).model


def _embedding(server: Server, model: str, seconds: float) -> int:
    """The dimension of the embedding of one word."""
    [vector], _ = server.embeddings(model, ["probe"], None, seconds)
    if problem := answers.problem_with(vector, vector.size):
        raise problem
    return vector.size
