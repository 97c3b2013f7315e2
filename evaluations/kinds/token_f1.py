"""The kind `token_f1`: shared words, as SQuAD counts them."""

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from evaluations.kinds import explain
from evaluations.kinds.config import Config, Threshold
from evaluations.kinds.kind import Family, Kind
from evaluations.kinds.pairs import Pairs
from evaluations.kinds.scores import Scores
from evaluations.metrics import squad


class TokenF1Config(Config):
    measure: Annotated[
        Literal["f1", "exact"],
        Field(
            title="Measure",
            description="The share of common words (f1), or whether all words are equal (exact).",
        ),
    ] = "f1"
    articles: Annotated[
        Literal["en", "none"],
        Field(title="Articles", description="en: a, an and the do not count, as in SQuAD; none: they do."),
    ] = "en"
    threshold: Threshold = None

    def tokens(self, text: str) -> list[str]:
        return squad.tokens(text, articles=self.articles == "en")

    def value(self, actual: list[str], expected: list[str]) -> float:
        return squad.f1(actual, expected) if self.measure == "f1" else float(actual == expected)


def score(config: TokenF1Config, pairs: Pairs) -> Scores:
    """F1 of the words of both sides, or 1.0 if they are the same words in the same order."""
    sides = zip(map(config.tokens, pairs.actual), map(config.tokens, pairs.expected), strict=True)
    values = np.fromiter((config.value(*side) for side in sides), np.float64, len(pairs))
    return Scores.scored(values, None if config.threshold is None else values >= config.threshold)


def detail(config: TokenF1Config, actual: str, expected: str) -> dict[str, Any]:
    words = [config.tokens(side) for side in (actual, expected)]
    value = config.value(*words)
    shared = round(value * sum(map(len, words)) / 2)
    counts = f"{len(words[0])} + {len(words[1])}"
    formula = f"2 × {shared} / ({counts}) = {explain.number(value)}"
    if config.measure == "exact" or not all(words):
        formula = f"{'The same' if value else 'Other'} words: {value:.1f}"
    return {
        "compared": explain.compared(*map(" ".join, words)),
        "formula": formula + explain.against(value, config.threshold),
    } | explain.words(*words)


token_f1 = Kind(
    key="token_f1",
    title="Token F1",
    family=Family.OVERLAP,
    summary="Shared words, as SQuAD counts them",
    description="The share of words that output and reference have in common, regardless of order, case, punctuation "
    "and articles. The usual score of question answering; with several right answers the best one counts.",
    source="SQuAD 2.0, evaluate-v2.0.py: compute_f1 and compute_exact.",
    version=1,
    Config=TokenF1Config,
    score=score,
    detail=detail,
)
