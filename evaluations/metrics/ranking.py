"""Measures of a ranked list against judged items, as trec_eval defines them."""

import math
from collections.abc import Mapping, Sequence

Grades = Mapping[str, float]  # of the judged items; one with a grade of at least 1 is relevant


def measure(name: str, ranked: Sequence[str], grades: Grades, k: int | None, *, exponential: bool) -> float:
    """recall, precision, hit, mrr, map or ndcg of the first `k` items (all, if None)."""
    cut = ranked if k is None else ranked[:k]
    hits = [grades.get(item, 0) >= 1 for item in cut]
    relevant = sum(grade >= 1 for grade in grades.values())
    if name == "recall":
        return sum(hits) / relevant
    if name == "precision":
        return sum(hits) / (k or max(len(cut), 1))
    if name == "hit":
        return float(any(hits))
    if name == "mrr":
        return next((1 / rank for rank, hit in enumerate(hits, 1) if hit), 0.0)
    if name == "map":
        precisions = [sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit]
        return math.fsum(precisions) / relevant
    ideal = sorted((grade for grade in grades.values() if grade > 0), reverse=True)
    best = _gain(ideal if k is None else ideal[:k], exponential)
    return _gain([grades.get(item, 0) for item in cut], exponential) / best if best else 0.0


def _gain(grades: Sequence[float], exponential: bool) -> float:
    """Discounted gain: each grade, or 2 to its power minus 1, by the logarithm of its rank plus 1."""
    return math.fsum(
        (2.0**grade - 1 if exponential else max(grade, 0.0)) / math.log2(rank + 1)
        for rank, grade in enumerate(grades, 1)
    )
