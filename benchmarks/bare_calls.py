"""The shortest code that gives the numbers of a kind by a library alone, for a batch of pairs.

The first line of each docstring is shown beside the speeds.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
import re2
from rapidfuzz.distance import Indel, JaroWinkler, LCSseq, Levenshtein
from rapidfuzz.process import cpdist
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

Texts: TypeAlias = Sequence[str]
Call: TypeAlias = Callable[[Texts, Texts], Any]

PATTERN = r"\d+\.\d+"
COMPILED = re2.compile(PATTERN)
WORDS = re.compile(r"[^\W_]+")
NUMBER = re.compile(r"-?\d[\d,]*\.?\d*")


def levenshtein_similarity(actual: Texts, expected: Texts) -> Any:
    """rapidfuzz cpdist(Levenshtein.distance) of lowered texts, and the formula over arrays"""
    actual_texts, expected_texts = [text.lower() for text in actual], [text.lower() for text in expected]
    distances = cpdist(
        actual_texts, expected_texts, scorer=Levenshtein.distance, dtype=np.int64, workers=1
    ).ravel()
    longest = np.array([max(len(a), len(e)) for a, e in zip(actual_texts, expected_texts, strict=True)])
    return (200 * (longest - distances) + longest) // (2 * longest) / 100


def levenshtein_distance(actual: Texts, expected: Texts) -> Any:
    """rapidfuzz cpdist(Levenshtein.distance)"""
    return cpdist(actual, expected, scorer=Levenshtein.distance, workers=1).ravel()


def similarity_match(actual: Texts, expected: Texts) -> Any:
    """two sets of str.split() per pair"""
    sides = [(set(a.split()), set(e.split())) for a, e in zip(actual, expected, strict=True)]
    return [
        len(actual_words & expected_words) / len(actual_words | expected_words)
        for actual_words, expected_words in sides
    ]


def content_similarity(actual: Texts, expected: Texts) -> Any:
    """two Counters of letter pairs per pair, whitespace removed"""
    return [_dice(a, e) for a, e in zip(actual, expected, strict=True)]


def _dice(actual: str, expected: str) -> float:
    actual_pairs, expected_pairs = (
        Counter(text[start : start + 2] for start in range(len(text) - 1))
        for text in ("".join(side.lower().split()) for side in (actual, expected))
    )
    return 2 * (actual_pairs & expected_pairs).total() / (actual_pairs.total() + expected_pairs.total())


def exact_match(actual: Texts, expected: Texts) -> Any:
    """[a.strip() == e.strip() for a, e in zip(actual, expected)]"""
    return [a.strip() == e.strip() for a, e in zip(actual, expected, strict=True)]


def contains(actual: Texts, expected: Texts) -> Any:
    """[e.strip() in a for a, e in zip(actual, expected)]"""
    return [e.strip() in a for a, e in zip(actual, expected, strict=True)]


def regex_match(actual: Texts, expected: Texts) -> Any:
    """[compiled.search(a) is not None for a in actual] with re2"""
    return [COMPILED.search(a) is not None for a in actual]


def indel_similarity(actual: Texts, expected: Texts) -> Any:
    """rapidfuzz cpdist(Indel.normalized_similarity)"""
    return cpdist(actual, expected, scorer=Indel.normalized_similarity, dtype=np.float64, workers=1).ravel()


def jaro_winkler(actual: Texts, expected: Texts) -> Any:
    """rapidfuzz cpdist(JaroWinkler.normalized_similarity)"""
    scorer = JaroWinkler.normalized_similarity
    return cpdist(actual, expected, scorer=scorer, dtype=np.float64, workers=1).ravel()


def sentence_bleu(actual: Texts, expected: Texts) -> Any:
    """sacrebleu BLEU(effective_order=True).sentence_score per pair"""
    metric = BLEU(effective_order=True)
    # otherwise sacrebleu would remember the tokens of texts from the previous measurement
    for part in (metric.tokenizer, metric.tokenizer._post_tokenizer):
        remembering: Any = type(part).__call__
        remembering.cache_clear()
    return [metric.sentence_score(a, [e]).score / 100 for a, e in zip(actual, expected, strict=True)]


def chrf(actual: Texts, expected: Texts) -> Any:
    """sacrebleu CHRF().sentence_score per pair"""
    metric = CHRF()
    return [metric.sentence_score(a, [e]).score / 100 for a, e in zip(actual, expected, strict=True)]


def rouge_l(actual: Texts, expected: Texts) -> Any:
    """words by re.findall, and rapidfuzz cpdist(LCSseq.similarity) of them"""
    actual_words, expected_words = [
        [WORDS.findall(text.lower()) for text in side] for side in (actual, expected)
    ]
    common = cpdist(actual_words, expected_words, scorer=LCSseq.similarity, workers=1).ravel()
    return 2 * common / np.array([len(a) + len(e) for a, e in zip(actual_words, expected_words, strict=True)])


def json_match(actual: Texts, expected: Texts) -> Any:
    """[json.loads(a) == json.loads(e) for a, e in zip(actual, expected)]"""
    return [json.loads(a) == json.loads(e) for a, e in zip(actual, expected, strict=True)]


def json_distance(actual: Texts, expected: Texts) -> Any:
    """json.loads of both, and a recursive function that counts the leaves that differ"""
    return [_leaves(json.loads(a), json.loads(e)) for a, e in zip(actual, expected, strict=True)]


def _leaves(actual: Any, expected: Any) -> int:
    if type(actual) is not type(expected):
        return 1
    if isinstance(actual, dict):
        both = actual.keys() & expected.keys()
        return len(actual.keys() ^ expected.keys()) + sum(_leaves(actual[key], expected[key]) for key in both)
    if isinstance(actual, list):
        beyond = abs(len(actual) - len(expected))
        return beyond + sum(_leaves(a, e) for a, e in zip(actual, expected, strict=False))
    return int(actual != expected)


def numeric_match(actual: Texts, expected: Texts) -> Any:
    """the last re.findall of each side as a Decimal, compared"""
    return [_number(a) == _number(e) for a, e in zip(actual, expected, strict=True)]


def _number(text: str) -> Decimal:
    return Decimal(NUMBER.findall(text)[-1].replace(",", ""))


CALLS: dict[str, Call] = {
    call.__name__: call
    for call in (
        levenshtein_similarity,
        levenshtein_distance,
        similarity_match,
        content_similarity,
        exact_match,
        contains,
        regex_match,
        indel_similarity,
        jaro_winkler,
        sentence_bleu,
        chrf,
        rouge_l,
        json_match,
        json_distance,
        numeric_match,
    )
}
