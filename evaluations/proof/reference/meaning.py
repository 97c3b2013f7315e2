"""The cosine, as it is defined."""

from collections.abc import Sequence
from math import fsum, sqrt

from evaluations.values import JSON

from .judgement import Judgement, NoScore


def semantic_similarity(
    actual: str,
    expected: str,
    threshold: float | None = None,
    embeddings: Sequence[Sequence[float]] = ((), ()),
    **of_the_server: JSON,
) -> Judgement:
    """`of_the_server`: connection, model and dimensions, which shape the embeddings and nothing else."""
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
