"""The kind `rouge_l`: the longest common subsequence of words."""

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field
from rapidfuzz.distance import LCSseq

from evaluations.kinds import explain
from evaluations.kinds.config import Config, IgnoreCase, Threshold
from evaluations.kinds.kind import Family, Kind
from evaluations.kinds.pairs import Pairs
from evaluations.kinds.scores import Scores
from evaluations.metrics import rouge


class RougeLConfig(Config):
    lowercase: IgnoreCase = True
    threshold: Threshold = None

    @property
    def splitter(self) -> Callable[[str], list[str]]:
        """Splits a text into what is compared: version 1 cut words at combining marks."""
        return rouge.tokens


class RougeLConfig2(RougeLConfig):
    tokenize: Annotated[
        Literal["word", "char"],
        Field(
            title="Tokens", description="Words, or characters for scripts without blanks, such as Chinese."
        ),
    ] = "word"

    @property
    def splitter(self) -> Callable[[str], list[str]]:
        return rouge.marked_words if self.tokenize == "word" else rouge.characters


def score(config: RougeLConfig, pairs: Pairs) -> Scores:
    """F1 of the longest common subsequence of words."""
    values = rouge.f_scores(*pairs.cased(not config.lowercase), config.splitter)
    return Scores.scored(values, None if config.threshold is None else values >= config.threshold)


def detail(config: RougeLConfig, actual: str, expected: str) -> dict[str, Any]:
    actual, expected = [text.lower() if config.lowercase else text for text in (actual, expected)]
    actual_tokens, expected_tokens = config.splitter(actual), config.splitter(expected)
    value = float(rouge.f_scores([actual], [expected], config.splitter)[0])
    common = LCSseq.similarity(actual_tokens, expected_tokens)
    rows = [block for block in LCSseq.opcodes(actual_tokens, expected_tokens) if block.tag == "equal"]
    matched = [word for block in rows for word in actual_tokens[block.src_start : block.src_end]]
    formula = (
        f"2 × {common} / ({len(actual_tokens)} + {len(expected_tokens)}) = {explain.number(value)}"
        if actual_tokens or expected_tokens
        else "Neither side has a word: 0.0000"
    )
    return {
        "compared": explain.compared(" ".join(actual_tokens), " ".join(expected_tokens)),
        "rouge": {
            "longest_common_subsequence": common,
            "actual_words": len(actual_tokens),
            "expected_words": len(expected_tokens),
            "matched": matched[: explain.MOST_LISTED],
        },
        "formula": formula + explain.against(value, config.threshold),
    } | explain.words(actual_tokens, expected_tokens)


rouge_l_1 = Kind(
    key="rouge_l",
    title="ROUGE-L",
    family=Family.OVERLAP,
    summary="Longest common subsequence of words",
    description="The longest sequence of words that both texts have in common, in order but with gaps, "
    "relative to their lengths (F1). Common for summaries. Words are runs of letters and digits of any "
    "script.",
    source="ROUGE-L as in Google's rouge_score (F-measure), for words of every script.",
    version=1,
    Config=RougeLConfig,
    score=score,
    detail=detail,
)

rouge_l = replace(rouge_l_1, version=2, Config=RougeLConfig2, earlier=rouge_l_1)
