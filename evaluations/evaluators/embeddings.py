"""Embeddings of texts: requested through a connection, stored, and paid only once."""

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any

import numpy as np
from django.conf import settings
from django.db import transaction
from numpy.typing import NDArray

from evaluations import bulk, kinds
from evaluations.access import limits
from evaluations.clients import ServiceError
from evaluations.clients.tokens import Tokens
from evaluations.errors import Invalid, NotFound
from evaluations.kinds.config import EmbeddingConfig
from evaluations.metrics import meaning
from evaluations.models import Budget, Connection, Embedding, EvaluatorVersion, Project
from evaluations.prompts import money, prices
from evaluations.prompts.named import Money
from evaluations.prompts.prices import Rates
from evaluations.values import stored_json

from . import connections, embedding_calls, pacing
from .recipe import Recipe

Vector = NDArray[np.float32]
KEYS_AT_ONCE = 500
SHARE = (
    0.75  # share of a lease to wait for the next answer: a silent server must not cost the worker its chunk
)
BUSY = "Too many calls to connections at once."
NO_CONNECTION = (
    "no_connection: The project has no connection for embeddings: add one and retry the errors, or choose the built-in "
    f"model {meaning.MODEL}."
)


def connection_of(version: EvaluatorVersion) -> int | None:
    """The connection that a version needs: its own, or its project's default; None for kinds that need none."""
    if not Recipe.from_version(version).needs_server:
        return None
    return version.config.get("connection") or version.evaluator.project.default_connection_id


def with_default_model(project: Project, kind: str, config: dict[str, Any]) -> dict[str, Any]:
    """The settings of a new evaluator: without a connection it uses the built-in model, unless it names another.

    The choice is stored in its version, so that a connection that is added later changes no scores.
    """
    found = kinds.CATALOGUE.get(kind)
    if found is None or not found.needs_connection or {"model", "connection"} & config.keys():
        return config
    if not meaning.is_installed() or Project.objects.filter(pk=project.pk, default_connection__gt=0).exists():
        return config
    return config | {"model": meaning.MODEL}


def check_connection(project: Project, recipe: Recipe) -> None:
    """Raise `NotFound` for an evaluator whose connection is not one of the project."""
    chosen = recipe.config.get("connection") if recipe.kind.needs_connection else None
    if chosen:
        project_connection(project, chosen, "config/connection")


def project_connection(project: Project, pk: Any, field: str) -> Connection:
    """The connection of a project; raises `NotFound`, naming the field, for another."""
    connection = Connection.objects.live().filter(project=project, pk=str(pk)).first()
    if connection is None:
        message = "The project does not have this connection."
        raise NotFound("unknown_connection", message, fields={field: [message]})
    return connection


def rates_of(version: EvaluatorVersion) -> Rates | None:
    """Today's price of the model of a version; None if it has none."""
    pk = connection_of(version)
    connection = Connection.objects.filter(pk=pk).first() if pk else None
    config = Recipe.from_version(version).parsed
    if connection is None or not isinstance(config, EmbeddingConfig):
        return None
    return embedding_calls.rates(connection, config.model)


def require_payable(version: EvaluatorVersion, money: Money) -> None:
    """Raise `Invalid` unless the vectors for a version can be bought with this money."""
    money.require()
    name, project = version.evaluator.name, version.evaluator.project
    pk = connection_of(version)
    if pk is None or not Connection.objects.live().filter(pk=pk).exists():
        message = f"{name} has no connection, and the project has no default."
        raise Invalid("no_connection", message, fields={"connection": [message]})
    has_limit = money.budget is not None or project.monthly_limit is not None
    if has_limit and rates_of(version) is None:
        message = f"The model of {name} has no price, so its cost cannot be limited."
        hint = "Add one on the page of the connection, or send max_calls."
        raise Invalid("price_required", message, fields={"budget": [message]}, hint=hint)


def cost(version: EvaluatorVersion, tokens: int) -> float | None:
    """The cost of tokens at today's price of the version's model; None if it has no price."""
    rates = rates_of(version)
    return prices.cost(rates, Tokens(tokens, 0)) / 10**money.COST_DECIMALS if rates else None


NOT_PAID = "not_paid: The vector of this text is not stored, and nobody named money for it."


def _address(connection: Connection) -> str:
    """What tells servers apart: the base URL, with the query, which may choose another model."""
    return connection.base_url + (f"?{stored_json(connection.query)}" if connection.query else "")


class Embedder:
    """Vectors for texts: stored ones, else from the server, whose vectors are stored as they arrive.

    `usage` counts stored vectors used ("hits"), requests ("calls"), "tokens" and vectors "fetched". `keep_alive` is
    called in the transaction that stores the vectors of a call; if it returns False, `clients.Interrupted` is
    raised.
    """

    # seconds to wait for the next answer; None for a share of the worker's lease
    seconds: float | None = None
    # seconds to wait for the server's pace before `Interrupted` is raised; None to wait as long as for an answer
    held: float | None = None

    def __init__(
        self,
        connection: Connection | None,
        model: str,
        dimensions: int | None,
        keep_alive: Callable[[], bool] | None = None,
        budget: Budget | None = None,
    ):
        self.connection, self.model, self.dimensions = connection, model, dimensions
        self.budget = budget
        self.address = _address(connection) if connection else ""
        self.keep_alive = keep_alive
        self.usage: Counter[str] = Counter()

    def __call__(self, texts: Sequence[str]) -> list[Vector | str]:
        """For each text its vector, or a sentence that explains why there is none."""
        if self.connection is None:
            return [NO_CONNECTION] * len(texts)
        stored_vectors = self._stored(texts)
        self.usage["hits"] += len(stored_vectors)
        missing = [text for text in texts if text not in stored_vectors]
        vectors = stored_vectors | (self._fetched(self.connection, missing) if missing else {})
        return [vectors[text] for text in texts]

    def _fetched(self, connection: Connection, texts: Sequence[str]) -> dict[str, Vector | str]:
        try:
            with closing(connections.client(connection)) as client:
                result = client.embed(
                    self.model,
                    texts,
                    self.dimensions,
                    deadline=self.seconds or SHARE * settings.EVALSITE_LEASE,
                    on_batch=self._arrived,
                    usage=self.usage,
                    meter=embedding_calls.Meter(connection, self.model, self.budget),
                    pace=pacing.pace_of(connection.pk),
                    held=self.held,
                )
        except ServiceError as error:
            return dict.fromkeys(texts, f"{error.code}: {error.message}")
        return dict(zip(texts, result.outcomes(), strict=True))

    def _arrived(self, texts: list[str], vectors: list[Vector]) -> bool:
        rows = [
            (self._digest(text), vector.astype("<f4").tobytes())
            for text, vector in zip(texts, vectors, strict=True)
        ]
        self.usage["fetched"] += len(texts)
        with transaction.atomic():  # Vectors and their cost are stored in one transaction.
            bulk.upsert(Embedding, ("digest", "vector"), ("digest",), rows)
            return self.keep_alive is None or self.keep_alive()

    def _stored(self, texts: Sequence[str]) -> dict[str, Vector]:
        by_digest = {self._digest(text): text for text in texts}
        digests, vectors = list(by_digest), {}
        for start in range(0, len(digests), KEYS_AT_ONCE):
            rows = Embedding.objects.filter(digest__in=digests[start : start + KEYS_AT_ONCE])
            for digest, vector in rows.values_list("digest", "vector"):
                vectors[by_digest[bytes(digest)]] = np.frombuffer(vector, "<f4")
        return vectors

    def _digest(self, text: str) -> bytes:
        parts = (self.address, self.model, str(self.dimensions or ""), text)
        return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).digest()


class GivingWay(Embedder):
    """An embedder for chunks, which can be given back: raises `Interrupted` too while the server wants no call."""

    held = 2.0


class RequestEmbedder(Embedder):
    """An embedder for web requests: few requests may wait for servers at once, and failed texts are not retried."""

    seconds = 10

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.failed: dict[str, str] = {}

    def _fetched(self, connection: Connection, texts: Sequence[str]) -> dict[str, Vector | str]:
        fetched: dict[str, Vector | str] = {text: self.failed[text] for text in texts if text in self.failed}
        if fresh := [text for text in texts if text not in fetched]:
            with limits.one_of(limits.SERVER_CALLS, BUSY):
                fetched |= super()._fetched(connection, fresh)
        self.failed |= {text: vector for text, vector in fetched.items() if isinstance(vector, str)}
        return fetched


class StoredOnly(Embedder):
    """An embedder that uses stored vectors only and never calls the server."""

    def _fetched(self, connection: Connection, texts: Sequence[str]) -> dict[str, Vector | str]:
        return dict.fromkeys(texts, NOT_PAID)


def embedder(
    project: Project,
    recipe: Recipe,
    budget: Budget | None = None,
    keep_alive: Callable[[], bool] | None = None,
    source: type[Embedder] = RequestEmbedder,
) -> Embedder | None:
    """The embedder of evaluators that call a server, None for others. Workers pass another `source`.

    Vectors are bought from the `budget` that somebody named; without one, only stored vectors are used.
    """
    config = recipe.parsed
    if not isinstance(config, EmbeddingConfig) or config.is_built_in:
        return None
    pk = config.connection or project.default_connection_id
    here = Connection.objects.live().select_related("project").filter(project=project)
    connection = here.filter(pk=pk).first() if pk else None
    chosen = source if budget else StoredOnly
    return chosen(connection, config.model, config.dimensions, keep_alive, budget)
