"""Corpus BLEU and chrF as sacrebleu computes them: the scores of n-gram counts summed over all texts."""

from collections.abc import Collection
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics.base import Metric
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

VARIOUS = -1  # sacrebleu's code for texts with different numbers of references


def bleu(*, tokenize: str, lowercase: bool) -> Metric:
    """Corpus BLEU, without the effective order of sentence BLEU."""
    # force: no warnings about tokens in the log
    return BLEU(tokenize=tokenize, lowercase=lowercase, force=True)


def chrf(*, word_order: int, beta: int) -> Metric:
    return CHRF(word_order=word_order, beta=beta)


def scores(metric: Metric, summed: NDArray[Any]) -> NDArray[np.float64]:
    """The corpus scores of many sums, one score per row."""
    if isinstance(metric, BLEU):
        return _bleu_scores(summed)
    chrf_metric = cast(CHRF, metric)
    return _chrf_scores(summed, chrf_metric.beta)


def _bleu_scores(summed: NDArray[Any]) -> NDArray[np.float64]:
    """BLEU with exponential smoothing: each n-gram length without a match counts half of the previous one."""
    length, reference = summed[:, 0].astype(float), summed[:, 1]
    orders = (summed.shape[1] - 2) // 2
    correct, total = summed[:, 2 : 2 + orders], summed[:, 2 + orders :]
    halved = 2.0 ** np.cumsum(correct == 0, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        precisions = np.where(correct == 0, 1 / (halved * total), correct / total)
        logs = np.log(precisions).mean(axis=1)
        penalty = np.where(length < reference, np.exp(1 - reference / length), 1.0)
        values = 100 * penalty * np.exp(logs)
    is_none = (total == 0).any(axis=1) | (correct == 0).all(axis=1)
    return np.where(is_none, 0.0, values)


def _chrf_scores(summed: NDArray[Any], beta: int) -> NDArray[np.float64]:
    """chrF over the n-gram lengths that both sides have."""
    text_counts, reference_counts, both = (summed[:, offset::3].astype(float) for offset in range(3))
    counted = (text_counts > 0) & (reference_counts > 0)
    order_counts = np.maximum(counted.sum(axis=1), 1)
    precision = (both * counted / np.maximum(text_counts, 1)).sum(axis=1) / order_counts
    recall = (both * counted / np.maximum(reference_counts, 1)).sum(axis=1) / order_counts
    weighted_sum = beta**2 * precision + recall
    return np.where(
        weighted_sum > 0,
        100 * (1 + beta**2) * precision * recall / np.where(weighted_sum > 0, weighted_sum, 1.0),
        0.0,
    )


def width(metric: Metric) -> int:
    """The number of counts per text."""
    return 2 + 2 * metric.max_ngram_order if isinstance(metric, BLEU) else 3 * cast(CHRF, metric).order


def signature(metric: Metric, references: Collection[int]) -> str:
    """sacrebleu's signature, which describes how the score was computed.

    `references` are the numbers of references that occur.
    """
    metric.num_refs = next(iter(references)) if len(references) == 1 else VARIOUS
    text: str = metric.get_signature().format()
    return text
