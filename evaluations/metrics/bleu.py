"""Sentence BLEU with sacrebleu's numbers: effective order, exponential smoothing."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import reduce
from importlib.util import find_spec
from operator import or_
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics.bleu import BLEU, BLEUScore

ORDER = 4
Texts: TypeAlias = str | tuple[str, ...]  # one reference, or several


def scores(
    actual: Sequence[str], expected: Sequence[Texts], *, tokenize: str = "13a", lowercase: bool = False
) -> NDArray[np.float64]:
    """BLEU of each pair, from 0 to 1; a pair without a common token gives 0. A pair may have several references."""
    return counted(actual, expected, tokenize=tokenize, lowercase=lowercase)[0]


def counted(
    actual: Sequence[str], expected: Sequence[Texts], *, tokenize: str = "13a", lowercase: bool = False
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """`scores`, and sacrebleu's statistics of each pair: both lengths, shared n-grams, n-grams of the actual text."""
    stored_counts = [
        (min(score.score / 100, 1.0), [score.sys_len, score.ref_len, *score.counts, *score.totals])
        for score, _, _ in explained(actual, expected, tokenize=tokenize, lowercase=lowercase)
    ]
    values = np.array([value for value, _ in stored_counts], np.float64)
    return values, np.array([counts for _, counts in stored_counts], np.int32).reshape(
        len(stored_counts), 2 + 2 * ORDER
    )


def explained(
    actual: Sequence[str], expected: Sequence[Texts], *, tokenize: str = "13a", lowercase: bool = False
) -> Iterator[tuple[BLEUScore, list[str], list[list[str]]]]:
    """sacrebleu's own score objects (0 to 100), with counts, precisions and brevity penalty; and the tokens of the
    actual text and of each reference.
    """
    tokenizer = BLEU(tokenize=tokenize, effective_order=True).tokenizer
    try:
        for text, references in zip(actual, expected, strict=True):
            alternatives = (references,) if isinstance(references, str) else references
            text_tokens, *reference_tokens = [
                tokens(version, tokenizer, lowercase=lowercase) for version in (text, *alternatives)
            ]
            yield _score(text_tokens, reference_tokens), text_tokens, reference_tokens
    finally:
        forget(tokenizer)


def is_installed(tokenize: str) -> bool:
    """Whether a tokenizer of sacrebleu can be used here: those for Japanese and Korean need MeCab."""
    package = {"ja-mecab": "MeCab", "ko-mecab": "mecab_ko"}.get(tokenize)
    return package is None or find_spec(package) is not None


def tokens(text: str, tokenizer: Any, *, lowercase: bool = False) -> list[str]:
    """The tokens of a text, by sacrebleu's tokenizer."""
    tokenized: str = tokenizer((text.lower() if lowercase else text).rstrip())
    return tokenized.split()


def _score(actual: list[str], expected: list[list[str]]) -> BLEUScore:
    """The score of one pair. With several references, an n-gram counts up to its maximum over the references."""
    correct = [_in_both(actual, expected, order) for order in range(1, ORDER + 1)]
    total = [max(len(actual) - order + 1, 0) for order in range(1, ORDER + 1)]
    return BLEU.compute_bleu(
        correct,
        total,
        len(actual),
        min(map(len, expected), key=lambda length: (abs(length - len(actual)), length)),
        smooth_method="exp",
        effective_order=True,
        max_ngram_order=ORDER,
    )


def _in_both(actual: list[str], expected: list[list[str]], order: int) -> int:
    text_counts, *counts_by_reference = (
        Counter(zip(*(side[start:] for start in range(order)), strict=False)) for side in (actual, *expected)
    )
    reference_counts = reduce(or_, counts_by_reference)
    return sum(
        min(times, reference_counts[gram]) for gram, times in text_counts.items() if gram in reference_counts
    )


def forget(tokenizer: Any) -> None:
    """Empty the caches of sacrebleu's tokenizers, which hold up to 65 536 texts of any length."""
    for part in (tokenizer, getattr(tokenizer, "_post_tokenizer", None)):
        clear = getattr(type(part).__call__, "cache_clear", None)
        if clear:
            clear()
