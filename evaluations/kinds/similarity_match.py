"""The kind `similarity_match`: shared words, in any order."""

from typing import Annotated, Any, Literal

from pydantic import Field

from evaluations.kinds import explain
from evaluations.kinds.config import CaseSensitive, Config
from evaluations.kinds.kind import Family, Kind
from evaluations.kinds.pairs import Pairs
from evaluations.kinds.scores import Scores
from evaluations.metrics import jaccard


class SimilarityMatchConfig(Config):
    similarity_threshold: Annotated[
        float,
        Field(
            ge=0,
            le=1,
            title="Threshold",
            description="The similarity that an output must exceed, or reach, to pass.",
        ),
    ] = 0.5
    case_sensitive: CaseSensitive = True
    comparison: Annotated[
        Literal[">", ">="],
        Field(title="Passes", description="Above the threshold (>), or at or above the threshold (>=)."),
    ] = ">"

    @property
    def pass_mark(self) -> float:
        return self.similarity_threshold

    @property
    def pass_comparison(self) -> Literal[">", ">="]:
        return self.comparison

    def passes(self, value: Any) -> Any:
        """Whether a value, or each value of an array, passes."""
        return (
            value > self.similarity_threshold
            if self.comparison == ">"
            else value >= self.similarity_threshold
        )

    def warnings(self) -> list[str]:
        if not self.passes(1.0):
            return ["No similarity exceeds 1, so nothing can pass. Choose >= or a lower threshold."]
        return ["With a threshold of 0 every output passes."] if self.passes(0.0) else []


def score(config: SimilarityMatchConfig, pairs: Pairs) -> Scores:
    """Jaccard similarity of the sets of words."""
    values = jaccard.similarities(*pairs.cased(config.case_sensitive))
    return Scores.scored(values, config.passes(values))


def detail(config: SimilarityMatchConfig, actual: str, expected: str) -> dict[str, Any]:
    actual, expected = [text if config.case_sensitive else text.lower() for text in (actual, expected)]
    blocks = {"compared": explain.compared(actual, expected)} | explain.words(
        actual.split(), expected.split()
    )
    return blocks | {"formula": _formula(config, actual, expected, blocks["word_counts"])}


def _formula(config: SimilarityMatchConfig, actual: str, expected: str, counts: dict[str, int]) -> str:
    value = float(jaccard.similarities([actual], [expected])[0])
    total = sum(counts.values())
    calculation = (
        f"{counts['both']} / {total} = {explain.number(value)}"
        if total
        else "Neither side has a word: 1.0000"
    )
    words = {">": ("passes above", "not above"), ">=": ("passes at", "below")}[config.comparison]
    return f"{calculation}, {words[not config.passes(value)]} {config.similarity_threshold:g}"


similarity_match = Kind(
    key="similarity_match",
    title="Similarity match",
    family=Family.OVERLAP,
    summary="Words in common, order ignored",
    description="How many words both texts share: words in both divided by words in either (Jaccard "
    "similarity). Order and repetition are ignored. Punctuation is part of its word.",
    source="Agenta, Similarity Match: |intersection| / |union| of the sets of words, true "
    "if it exceeds the threshold.",
    version=1,
    Config=SimilarityMatchConfig,
    score=score,
    detail=detail,
)
