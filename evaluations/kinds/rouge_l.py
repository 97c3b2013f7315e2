"""The longest common subsequence of words."""

from typing import Annotated, Any

from pydantic import Field
from rapidfuzz.distance import LCSseq

from evaluations.kinds import explain
from evaluations.kinds.config import Config
from evaluations.kinds.kind import Family, Kind
from evaluations.kinds.pairs import Pairs
from evaluations.kinds.scores import Scores
from evaluations.metrics import rouge


class RougeLConfig(Config):
    lowercase: Annotated[
        bool, Field(title="Ignore case", description="Both texts are put in lower case.")
    ] = True
    threshold: Annotated[
        Annotated[float, Field(ge=0, le=1)] | None,
        Field(title="Pass threshold", description="Smallest score that passes; empty for no pass or fail."),
    ] = None


def score(config: RougeLConfig, pairs: Pairs) -> Scores:
    """F1 of the longest common subsequence of words."""
    values = rouge.f_scores(*pairs.cased(not config.lowercase))
    return Scores.scored(values, None if config.threshold is None else values >= config.threshold)


def detail(config: RougeLConfig, actual: str, expected: str) -> dict[str, Any]:
    actual, expected = [text.lower() if config.lowercase else text for text in (actual, expected)]
    ours, theirs = rouge.tokens(actual), rouge.tokens(expected)
    value = float(rouge.f_scores([actual], [expected])[0])
    common = LCSseq.similarity(ours, theirs)
    rows = [block for block in LCSseq.opcodes(ours, theirs) if block.tag == "equal"]
    matched = [word for block in rows for word in ours[block.src_start : block.src_end]]
    formula = (
        f"2 × {common} / ({len(ours)} + {len(theirs)}) = {explain.number(value)}"
        if ours or theirs
        else "Neither side has a word: 0.0000"
    )
    return {
        "compared": explain.compared(" ".join(ours), " ".join(theirs)),
        "rouge": {
            "longest_common_subsequence": common,
            "actual_words": len(ours),
            "expected_words": len(theirs),
            "matched": matched[: explain.MOST],
        },
        "formula": formula + explain.against(value, config.threshold),
    } | explain.words(ours, theirs)


rouge_l = Kind(
    key="rouge_l",
    title="ROUGE-L",
    family=Family.OVERLAP,
    summary="Longest common subsequence of words",
    description="How much of both texts is the longest sequence of words they have in common, in order but "
    "with gaps (F1). Known from summaries; words are runs of letters and digits of any script.",
    source="ROUGE-L as in Google's rouge_score (F-measure), for words of every script.",
    version=1,
    Config=RougeLConfig,
    score=score,
    detail=detail,
)
