"""The kind `semantic_similarity`: cosine of embeddings, from an OpenAI-compatible server or the built-in model."""

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evaluations.kinds import explain
from evaluations.kinds.config import EmbeddingConfig
from evaluations.kinds.kind import Embed, Family, Kind
from evaluations.kinds.pairs import Pairs
from evaluations.kinds.scores import Scores
from evaluations.metrics import cosine
from evaluations.values import Status

# The codes of texts without a vector because nobody pays for it (yet): their rows wait, which is no error.
UNPAID = ("not_paid", "limit_reached", "price_required")


class SemanticSimilarityConfig(EmbeddingConfig):
    threshold: Annotated[
        Annotated[float, Field(ge=-1, le=1)] | None,
        Field(
            title="Pass threshold",
            description="Smallest cosine that passes. Its scale depends on the model; empty for no pass or "
            "fail.",
        ),
    ] = None


def score(config: SemanticSimilarityConfig, pairs: Pairs, embed: Embed) -> Scores:
    """The cosine of both embeddings. All distinct texts are embedded in one call; a blank text counts as missing."""
    missing = _blanks(pairs)
    rows = [row for row in range(len(pairs)) if row not in missing]
    distinct = list(dict.fromkeys(text for row in rows for text in (pairs.actual[row], pairs.expected[row])))
    vectors = dict(zip(distinct, embed(distinct), strict=True)) if distinct else {}
    values, errors = np.full(len(pairs), np.nan), {}
    for row in rows:
        sides = vectors[pairs.actual[row]], vectors[pairs.expected[row]]
        problem = _problem(*sides)
        if problem:
            errors[row] = problem
            if problem.partition(":")[0] in UNPAID:
                missing[row] = Status.NOT_SENT
        else:
            values[row] = cosine.similarity(*sides)
    passed = None if config.threshold is None else values >= config.threshold
    return Scores.scored(values, passed, errors=errors, missing=missing)


def _blanks(pairs: Pairs) -> dict[int, Status]:
    missing = {row: Status.MISSING_ACTUAL for row, text in enumerate(pairs.actual) if not text.strip()}
    return missing | {
        row: Status.MISSING_EXPECTED for row, text in enumerate(pairs.expected) if not text.strip()
    }


def _problem(actual: NDArray[np.float32] | str, expected: NDArray[np.float32] | str) -> str | None:
    """Why these embeddings cannot be compared; None if they can."""
    for vector in (actual, expected):
        if isinstance(vector, str):
            return vector
        if not np.isfinite(vector).all():
            return "bad_vector: The server sent a vector with NaN or infinity."
        if not np.any(vector):
            return "bad_vector: The server sent a zero vector."
    if len(actual) != len(expected):
        return f"bad_vector: The server sent vectors of {len(actual)} and {len(expected)} numbers."
    return None


def detail(config: SemanticSimilarityConfig, actual: str, expected: str, embed: Embed) -> dict[str, Any]:
    blocks: dict[str, Any] = {"compared": explain.compared(actual, expected)}
    if not actual.strip() or not expected.strip():
        return blocks | {"note": "A blank text is not embedded."}
    vectors = dict(
        zip(dict.fromkeys([actual, expected]), embed(list(dict.fromkeys([actual, expected]))), strict=True)
    )
    problem = _problem(vectors[actual], vectors[expected])
    if problem:
        return blocks | {"note": problem}
    value = cosine.similarity(vectors[actual], vectors[expected])
    formula = f"cosine = {explain.number(value)}{explain.against(value, config.threshold)}"
    return blocks | {"cosine": value, "model": config.model, "formula": formula}


semantic_similarity = Kind(
    key="semantic_similarity",
    title="Semantic similarity",
    family=Family.MEANING,
    summary="Close in meaning; free without a connection",
    description="How close both texts are in meaning: the cosine of their embeddings, from −1 to 1. Each "
    "model has its own scale, and a negation scores almost like a paraphrase. Check how unrelated pairs "
    "score before you set a threshold. Calls to a server cost money; the built-in model costs nothing.",
    source="Agenta, Semantic Similarity Match: cosine similarity of text-embedding-3-small "
    "embeddings, between -1 and 1.",
    version=1,
    Config=SemanticSimilarityConfig,
    score=score,
    detail=detail,
    bounds=lambda config: (-1.0, 1.0),
    needs_connection=True,
)
