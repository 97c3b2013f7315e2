"""The kind `content_similarity`: shared pairs of letters, whitespace ignored."""

import math
from collections import Counter
from typing import Annotated, Any

from pydantic import Field

from evaluations.kinds import explain
from evaluations.kinds.config import Config, IgnoreCase
from evaluations.kinds.kind import Bounds, Family, Kind
from evaluations.kinds.pairs import Pairs
from evaluations.kinds.scores import Scores
from evaluations.metrics import dice, texts

# Each band extends from its lower edge to the next band.
BANDS = (
    (1.0, "Perfect match"),
    (0.7, "High similarity"),
    (0.4, "Moderate similarity"),
    (math.ulp(0.0), "Low similarity"),
    (0.0, "No similarity"),
)


class ContentSimilarityConfig(Config):
    ignore_case: IgnoreCase = True
    ignore_whitespace: Annotated[
        bool,
        Field(
            title="Show single spaces",
            description="Shows the texts with single spaces. The score always ignores whitespace.",
        ),
    ] = True
    scale: Annotated[
        float,
        Field(
            gt=0,
            le=1e9,
            title="Scale",
            description="The score of equal texts; the similarity is multiplied by it.",
        ),
    ] = 1.0
    threshold: Annotated[
        Annotated[float, Field(ge=0)] | None,
        Field(title="Pass threshold", description="Smallest score that passes; empty for no pass or fail."),
    ] = None

    def warnings(self) -> list[str]:
        if self.threshold is not None and self.threshold > self.scale:
            return ["The threshold is above the scale: nothing can pass."]
        return []


def score(config: ContentSimilarityConfig, pairs: Pairs) -> Scores:
    """The Sørensen–Dice coefficient over pairs of UTF-16 units, times the scale."""
    values = config.scale * dice.similarities(*pairs.cased(not config.ignore_case))
    return Scores.scored(values, None if config.threshold is None else values >= config.threshold)


def bounds(config: ContentSimilarityConfig) -> Bounds:
    return 0.0, config.scale


def band(similarity: float) -> str:
    """The description of an unscaled similarity.

    >>> band(0.95), band(0.05), band(0.0)
    ('High similarity', 'Low similarity', 'No similarity')
    """
    return next(word for edge, word in BANDS if similarity >= edge)


def detail(config: ContentSimilarityConfig, actual: str, expected: str) -> dict[str, Any]:
    actual, expected = _processed(config, actual), _processed(config, expected)
    similarity = float(dice.similarities([actual], [expected])[0])
    blocks = {
        "processed_input": expected,
        "processed_output": actual,
        "similarity": similarity,
        "band": band(similarity),
    }
    pairs = _pairs_of_letters(actual, expected)
    formula = _formula(pairs, similarity) + (
        f" × {config.scale:g} = {explain.number(similarity * config.scale)}" if config.scale != 1 else ""
    )
    return blocks | {
        "compared": explain.compared(dice.stripped(actual), dice.stripped(expected)),
        "pairs_of_letters": pairs,
        "formula": formula + explain.against(similarity * config.scale, config.threshold),
    }


def _processed(config: ContentSimilarityConfig, text: str) -> str:
    text = text.lower() if config.ignore_case else text
    return (
        " ".join(filter(None, text.translate(dice.BLANKS).split(" "))) if config.ignore_whitespace else text
    )


def _pairs_of_letters(actual: str, expected: str) -> dict[str, Any]:
    actual_pairs, expected_pairs = _bigrams(actual), _bigrams(expected)
    shared = actual_pairs & expected_pairs
    return {
        "shared": list(shared.elements())[: explain.MOST_LISTED],
        "both": shared.total(),
        "actual": actual_pairs.total(),
        "expected": expected_pairs.total(),
    }


def _bigrams(text: str) -> Counter[str]:
    units = texts.utf16_units(dice.stripped(text))
    return Counter(units[start : start + 2] for start in range(len(units) - 1))


def _formula(pairs: dict[str, Any], similarity: float) -> str:
    if not pairs["actual"] or not pairs["expected"]:
        return f"{'Equal' if similarity else 'Too short to compare'}: {explain.number(similarity)}"
    return f"2 × {pairs['both']} / ({pairs['actual']} + {pairs['expected']}) = {explain.number(similarity)}"


content_similarity = Kind(
    key="content_similarity",
    title="Content similarity",
    family=Family.OVERLAP,
    summary="Letter pairs in common, whitespace ignored",
    description="How many pairs of neighbouring letters both texts share (Sørensen–Dice coefficient), "
    "whitespace ignored. Tolerates small changes and a different word order. Equal texts score 1; the scale "
    "multiplies the score.",
    source="Mastra, Content Similarity: similarity_value * scale, with compareTwoStrings of "
    "the package string-similarity.",
    version=1,
    Config=ContentSimilarityConfig,
    score=score,
    detail=detail,
    bounds=bounds,
)
