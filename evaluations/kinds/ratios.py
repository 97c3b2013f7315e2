"""The kinds `indel_similarity` and `jaro_winkler`, as rapidfuzz defines them."""

from typing import Annotated, Any

from pydantic import Field
from rapidfuzz.distance import Indel

from evaluations.kinds import explain
from evaluations.kinds.config import CaseSensitive, Config
from evaluations.kinds.kind import Family, Kind
from evaluations.kinds.pairs import Pairs
from evaluations.kinds.scores import Scores
from evaluations.metrics import ratios


class RatioConfig(Config):
    case_sensitive: CaseSensitive = True
    threshold: Annotated[
        Annotated[float, Field(ge=0, le=1)] | None,
        Field(
            title="Pass threshold", description="Smallest similarity that passes; empty for no pass or fail."
        ),
    ] = None


def score_indel(config: RatioConfig, pairs: Pairs) -> Scores:
    """Twice the longest common subsequence divided by both lengths."""
    values = ratios.indel(*pairs.cased(config.case_sensitive))
    return Scores.scored(values, None if config.threshold is None else values >= config.threshold)


def score_jaro_winkler(config: RatioConfig, pairs: Pairs) -> Scores:
    """Jaro similarity with a bonus for a common prefix."""
    values = ratios.jaro_winkler(*pairs.cased(config.case_sensitive))
    return Scores.scored(values, None if config.threshold is None else values >= config.threshold)


def explain_indel(config: RatioConfig, actual: str, expected: str) -> dict[str, Any]:
    blocks = _explained(config, actual, expected)
    actual, expected = blocks["compared"]["actual"], blocks["compared"]["expected"]
    value, total = float(ratios.indel([actual], [expected])[0]), len(actual) + len(expected)
    common = (total - Indel.distance(actual, expected)) // 2
    formula = (
        f"2 × {common} / ({len(actual)} + {len(expected)}) = {explain.number(value)}"
        if total
        else "Both texts are empty: 1.0000"
    )
    return blocks | {"formula": formula + explain.against(value, config.threshold)}


def explain_jaro_winkler(config: RatioConfig, actual: str, expected: str) -> dict[str, Any]:
    blocks = _explained(config, actual, expected)
    value = float(ratios.jaro_winkler([blocks["compared"]["actual"]], [blocks["compared"]["expected"]])[0])
    return blocks | {
        "formula": f"Jaro–Winkler = {explain.number(value)}{explain.against(value, config.threshold)}"
    }


def _explained(config: RatioConfig, actual: str, expected: str) -> dict[str, Any]:
    actual, expected = [text if config.case_sensitive else text.lower() for text in (actual, expected)]
    return {"compared": explain.compared(actual, expected)} | explain.difference(actual, expected)


indel_similarity = Kind(
    key="indel_similarity",
    title="Indel similarity",
    family=Family.EDITS,
    summary="Characters in common, in order",
    description="The share of both texts that is common if characters can only be inserted and deleted: twice "
    "the longest common subsequence divided by the sum of both lengths, not rounded. Opik calls it "
    "Levenshtein ratio, Mastra textual difference.",
    source="rapidfuzz, Indel.normalized_similarity; Mastra offers it as Textual Difference. axion's LevenshteinRatio "
    "is Python's difflib and gives other numbers.",
    version=1,
    Config=RatioConfig,
    score=score_indel,
    detail=explain_indel,
)

jaro_winkler = Kind(
    key="jaro_winkler",
    title="Jaro–Winkler",
    family=Family.EDITS,
    summary="For short names and codes",
    description="For short names and codes: characters in common within a window, transpositions counted "
    "half, and a bonus for a common beginning.",
    source="rapidfuzz, JaroWinkler.normalized_similarity (prefix weight 0.1); Ragas offers "
    "it as a string distance.",
    version=1,
    Config=RatioConfig,
    score=score_jaro_winkler,
    detail=explain_jaro_winkler,
)
