"""Corpus BLEU and chrF by sacrebleu itself: the score of n-gram counts summed over all texts.

sacrebleu's own tests of significance use the same underscored functions; golden tests hold them to the public ones.
"""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics.base import Metric
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from evaluations.metrics.bleu import forget

Counts: TypeAlias = NDArray[np.int64]
References: TypeAlias = Sequence[
    Sequence[str | None]
]  # sacrebleu's streams: one reference of every text each


def bleu(*, tokenize: str, lowercase: bool) -> Metric:
    """Without the effective order of sentence BLEU."""
    return BLEU(tokenize=tokenize, lowercase=lowercase, force=True)  # No warnings about tokens into the log.


def chrf(*, word_order: int, beta: int) -> Metric:
    return CHRF(word_order=word_order, beta=beta)


def counts(metric: Metric, sides: Iterable[tuple[Sequence[str], References]]) -> list[Counts]:
    """For each side a row for each text; references are read once where sides share them."""
    counted, read = [], None
    try:
        for actual, references in sides:
            if references != read:
                metric._ref_cache = metric._cache_references(references)  # type: ignore[arg-type]  # None is none.
                read = references
            counted.append(np.array(metric._extract_corpus_statistics(actual, None), np.int64))
    finally:
        forget(getattr(metric, "tokenizer", None))
    return counted


def score(metric: Metric, summed: Counts) -> float:
    """From 0 to 100."""
    value: float = metric._compute_score_from_stats(summed.tolist()).score
    return value


def signature(metric: Metric) -> str:
    """How the score was computed, once `counts` knows the number of references."""
    text: str = metric.get_signature().format()
    return text
