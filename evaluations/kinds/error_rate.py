"""The kind `error_rate`: edits of words or characters by the length of the reference."""

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from evaluations.kinds import explain
from evaluations.kinds.config import CaseSensitive, Config
from evaluations.kinds.kind import Family, Kind
from evaluations.kinds.pairs import Pairs
from evaluations.kinds.scores import Scores
from evaluations.kinds.statistic import Counting, Counts, Statistic, each
from evaluations.metrics.label_tables import ratio
from evaluations.values import MINIMIZE

EMPTY = "empty_reference: The expected text has no words, so there is no rate of errors."


class ErrorRateConfig(Config):
    unit: Annotated[
        Literal["word", "character"],
        Field(title="Count", description="Errors in words (WER) or in characters (CER)."),
    ] = "word"
    case_sensitive: CaseSensitive = True
    threshold: Annotated[
        Annotated[float, Field(ge=0)] | None,
        Field(title="Pass threshold", description="The largest rate that passes; empty for no pass or fail."),
    ] = None

    headline: Annotated[
        Literal["mean", "corpus_error_rate"],
        Field(
            title="Headline",
            description="The figure by which runs are compared: the mean of the rates, or all errors by all units "
            "of the references, in which long references count more.",
        ),
    ] = "mean"

    def units(self, text: str) -> list[str] | str:
        """The words between blanks, or the characters without those at the ends."""
        return text.split() if self.unit == "word" else text.strip()


def score(config: ErrorRateConfig, pairs: Pairs) -> Scores:
    """Insertions, deletions and substitutions by the number of units of the reference."""
    sides = [list(map(config.units, side)) for side in pairs.cased(config.case_sensitive)]
    lengths = np.array(list(map(len, sides[1])), np.int64)
    if not len(pairs):
        return Scores.scored(np.empty(0))
    edits = process.cpdist(*sides, scorer=Levenshtein.distance, dtype=np.int64, workers=1).ravel()
    values = edits / np.maximum(lengths, 1)
    errors = dict.fromkeys(np.flatnonzero((lengths == 0) & (edits > 0)).tolist(), EMPTY)
    counts = np.column_stack([edits, lengths]).astype(np.int32)
    counts[list(errors)] = -1
    passed = None if config.threshold is None else values <= config.threshold
    return Scores.scored(values, passed, errors=errors, counts=counts)


def _silent(counts: Counts) -> Counts:
    """Every unit of the reference is missing."""
    return counts[:, [1, 1]]


CORPUS = Counting(
    statistics=(
        Statistic(
            "corpus_error_rate",
            "Corpus error rate",
            "all errors by all units of the references",
            lambda sums: ratio(sums[:, 0], sums[:, 1]),
            high=None,
            direction=MINIMIZE,
        ),
    ),
    tallies=each,
    silent=_silent,
)


def detail(config: ErrorRateConfig, actual: str, expected: str) -> dict[str, Any]:
    texts = [text if config.case_sensitive else text.lower() for text in (actual, expected)]
    units = [config.units(text) for text in texts]
    if not units[1] and units[0]:
        return {"compared": explain.compared(*texts), "note": EMPTY}
    operations = [edit.tag for edit in Levenshtein.editops(*units)]
    edits = {word: operations.count(tag) for word, tag in explain.EDITS.items()}
    value = len(operations) / max(len(units[1]), 1)
    noun = "words" if config.unit == "word" else "characters"
    formula = f"{len(operations)} errors / {len(units[1])} {noun} = {explain.number(value)}"
    if config.threshold is not None:
        formula += f", {'at most' if value <= config.threshold else 'more than'} {config.threshold:g}"
    blocks = {
        "compared": explain.compared(*texts),
        "edits": {"total": len(operations), **edits},
        "formula": formula,
    }
    return blocks | explain.difference(*texts)


error_rate = Kind(
    key="error_rate",
    title="Error rate",
    family=Family.EDITS,
    summary="Wrong words by words; lower is better",
    description="How many words (WER) or characters (CER) must be inserted, deleted or replaced, divided by the "
    "length "
    "of the reference. The usual score of transcripts; it can exceed 1. Lower is better.",
    source="jiwer: (substitutions + deletions + insertions) / words of the reference, words between blanks.",
    version=1,
    Config=ErrorRateConfig,
    score=score,
    detail=detail,
    direction=MINIMIZE,
    bounds=lambda config: (0.0, None),
    natural=lambda config, expected: 1.0,
    counting=lambda config, labels: CORPUS,
)
