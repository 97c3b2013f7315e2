"""Columns that name the better output of each row, as "B", "model_a", 2 or "tie": the score of each variant."""

from collections.abc import Sequence

from evaluations.ingest.preferred import named
from evaluations.values import JSON


def score(cell: JSON, place: int, variants: Sequence[tuple[str, str]]) -> JSON:
    """The score of the variant at this place (from 0): 1 if it is named, 0 if another is, and in a tie its share.

    Each variant has its name and the column of its outputs, and may be named by either.

    A number between 1 and 2 is the weight of the second of two, as annotators of AlpacaEval give it. The scores of a
    row add up to 1. What names no variant is a text, and so no score.

    >>> both = [("gpt", "answer A"), ("o1", "answer B")]
    >>> [score("B", place, both) for place in (0, 1)], score("gpt", 0, both)
    ([0.0, 1.0], 1.0)
    >>> score("tie", 0, both), score(1.75, 1, both), score(0, 0, both)
    (0.5, 0.75, '0, which is no variant')
    """
    if cell in (None, "", []):
        return None
    by_names = (named(cell, names) for names in zip(*variants, strict=True))
    weights = next((found for found in by_names if found), None)
    return f"{cell}, which is no variant" if weights is None else weights[place]
