"""The kind `rouge_l`: the longest common subsequence of words, or common words or pairs of words."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
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
    measure: Annotated[
        Literal["rougeL", "rouge1", "rouge2"],
        Field(
            title="Measure",
            description="rougeL: the longest common sequence of words, with gaps; rouge1: common words, in any order; "
            "rouge2: common pairs of neighbouring words.",
        ),
    ] = "rougeL"
    tokenize: Annotated[
        Literal["word", "char"],
        Field(
            title="Tokens", description="Words, or characters for scripts without blanks, such as Chinese."
        ),
    ] = "word"

    @property
    def splitter(self) -> Callable[[str], list[str]]:
        return rouge.marked_words if self.tokenize == "word" else rouge.characters


def _values(config: RougeLConfig, actual: Sequence[str], expected: Sequence[str]) -> NDArray[np.float64]:
    size = _size(config)
    if size is None:
        return rouge.f_scores(actual, expected, config.splitter)
    return rouge.ngram_f_scores(actual, expected, config.splitter, size)


def _size(config: RougeLConfig) -> int | None:
    """How many words are compared at once; None for the longest common subsequence."""
    measure = config.measure if isinstance(config, RougeLConfig2) else "rougeL"
    return {"rouge1": 1, "rouge2": 2}.get(measure)


def score(config: RougeLConfig, pairs: Pairs) -> Scores:
    """F1 of the longest common subsequence of words, or of words or pairs of words."""
    values = _values(config, *pairs.cased(not config.lowercase))
    return Scores.scored(values, None if config.threshold is None else values >= config.threshold)


def detail(config: RougeLConfig, actual: str, expected: str) -> dict[str, Any]:
    actual, expected = [text.lower() if config.lowercase else text for text in (actual, expected)]
    actual_tokens, expected_tokens = config.splitter(actual), config.splitter(expected)
    value = float(_values(config, [actual], [expected])[0])
    size = _size(config)
    found = (
        _of_ngrams(actual_tokens, expected_tokens, size)
        if size
        else _of_sequence(actual_tokens, expected_tokens)
    )
    common, *totals = (found[name] for name in found if name != "matched")
    formula = (
        f"2 × {common} / ({totals[0]} + {totals[1]}) = {explain.number(value)}"
        if any(totals)
        else f"Neither side has {'two words' if size == 2 else 'a word'}: 0.0000"
    )
    return {
        "compared": explain.compared(" ".join(actual_tokens), " ".join(expected_tokens)),
        "rouge": found | {"matched": found["matched"][: explain.MOST_LISTED]},
        "formula": formula + explain.against(value, config.threshold),
    } | explain.words(actual_tokens, expected_tokens)


def _of_sequence(actual: list[str], expected: list[str]) -> dict[str, Any]:
    rows = [block for block in LCSseq.opcodes(actual, expected) if block.tag == "equal"]
    return {
        "longest_common_subsequence": LCSseq.similarity(actual, expected),
        "actual_words": len(actual),
        "expected_words": len(expected),
        "matched": [word for block in rows for word in actual[block.src_start : block.src_end]],
    }


def _of_ngrams(actual: list[str], expected: list[str], size: int) -> dict[str, Any]:
    sides = [rouge.ngrams(side, size) for side in (actual, expected)]
    common = Counter(sides[0]) & Counter(sides[1])
    return {
        "common_ngrams": common.total(),
        "actual_ngrams": len(sides[0]),
        "expected_ngrams": len(sides[1]),
        "matched": [" ".join(words) for words in common.elements()],
    }


rouge_l_1 = Kind(
    key="rouge_l",
    title="ROUGE",
    family=Family.OVERLAP,
    summary="Common words, in order or anywhere",
    description="The longest sequence of words that both texts have in common, in order but with gaps, "
    "relative to their lengths (F1): ROUGE-L. Or words and pairs of neighbouring words, which may "
    "stand anywhere: ROUGE-1 and ROUGE-2. Common for summaries. Words are runs of letters and digits of any "
    "script.",
    source="ROUGE-L, ROUGE-1 and ROUGE-2 as in Google's rouge_score (F-measure), for words of every script.",
    version=1,
    Config=RougeLConfig,
    score=score,
    detail=detail,
)

rouge_l = replace(rouge_l_1, version=2, Config=RougeLConfig2, earlier=rouge_l_1)
