"""How fast each kind scores a batch, beside a bare call of the library, or loop, that does the same."""

import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import re2
from rapidfuzz.distance import Indel, JaroWinkler, LCSseq, Levenshtein
from rapidfuzz.process import cpdist
from sacrebleu.metrics import BLEU, CHRF

from evaluations import kinds
from evaluations.values import Column

Texts = Sequence[str]
REPEATS = 5
LETTERS = "etaoinshrdlucmfw"
LONG = 10_000
CONFIGS = {"regex_match": {"pattern": r"\d+\.\d+"}}
JSON_KINDS = ("json_match", "json_distance")
WORDS = re.compile(r"[^\W_]+")
NUMBER = re.compile(r"-?\d[\d,]*\.?\d*")
PATTERN = re2.compile(CONFIGS["regex_match"]["pattern"])


def _batch(scorer: Callable[..., float]) -> Callable[[Texts, Texts], object]:
    return lambda actual, expected: cpdist(actual, expected, scorer=scorer, workers=1)


def _lowered(actual: Texts, expected: Texts) -> object:
    """Case does not count there by default."""
    sides = [[text.lower() for text in side] for side in (actual, expected)]
    return cpdist(*sides, scorer=Levenshtein.distance, workers=1)


def _each(judge: Callable[[str, str], object]) -> Callable[[Texts, Texts], object]:
    return lambda actual, expected: [judge(a, e) for a, e in zip(actual, expected, strict=True)]


def _words_in_common(actual: str, expected: str) -> float:
    ours, theirs = set(actual.split()), set(expected.split())
    return len(ours & theirs) / len(ours | theirs)


def _pairs_in_common(actual: str, expected: str) -> float:
    ours, theirs = (
        Counter(text[start : start + 2] for start in range(len(text) - 1))
        for text in ("".join(side.lower().split()) for side in (actual, expected))
    )
    return 2 * (ours & theirs).total() / (ours.total() + theirs.total())


def _bleu(actual: Texts, expected: Texts) -> object:
    """sacrebleu's own loop, with nothing remembered from the repeat before."""
    metric = BLEU(effective_order=True)
    for part in (metric.tokenizer, metric.tokenizer._post_tokenizer):
        type(part).__call__.cache_clear()
    return [metric.sentence_score(a, [e]) for a, e in zip(actual, expected, strict=True)]


def _longest_sequences(actual: Texts, expected: Texts) -> object:
    sides = [[WORDS.findall(text.lower()) for text in side] for side in (actual, expected)]
    return cpdist(*sides, scorer=LCSseq.similarity, workers=1)


BARE: dict[str, Callable[[Texts, Texts], object]] = {
    "levenshtein_similarity": _lowered,
    "levenshtein_distance": _batch(Levenshtein.distance),
    "similarity_match": _each(_words_in_common),
    "content_similarity": _each(_pairs_in_common),
    "exact_match": _each(lambda a, e: a.strip() == e.strip()),
    "contains": _each(lambda a, e: e.strip() in a),
    "regex_match": _each(lambda a, e: PATTERN.search(a)),
    "indel_similarity": _batch(Indel.normalized_similarity),
    "jaro_winkler": _batch(JaroWinkler.normalized_similarity),
    "sentence_bleu": _bleu,
    "chrf": _each(lambda a, e: CHRF().sentence_score(a, [e])),
    "rouge_l": _longest_sequences,
    "json_match": _each(lambda a, e: json.loads(a) == json.loads(e)),
    "json_distance": _each(lambda a, e: json.loads(a) == json.loads(e)),
    "numeric_match": _each(lambda a, e: NUMBER.findall(a)[-1] == NUMBER.findall(e)[-1]),
}


@dataclass(frozen=True)
class Speed:
    """Pairs a second of a kind and of its bare call, on texts of about `length` characters."""

    kind: str
    length: int
    ours: float
    bare: float


def measure(short: int, long: int, seed: int) -> Iterator[Speed]:
    """Every text kind on so many short pairs and so many of 10 000 characters; the best of five."""
    for length, count in ((120, short), (LONG, long)):
        chance = random.Random(seed)
        words = ["".join(chance.choices(LETTERS, k=chance.randint(2, 9))) for _ in range(4_000)]
        pairs = [_pair(chance, words, length) for _ in range(count)]
        for key, bare in BARE.items():
            sides = [list(side) for side in zip(*(_form(key, pair) for pair in pairs), strict=True)]
            yield Speed(key, length, count / _seconds(_scoring(key), *sides), count / _seconds(bare, *sides))


def _pair(chance: random.Random, words: Sequence[str], length: int) -> tuple[str, str]:
    """A reference that ends in a number, and what a model might make of it: every tenth word is another."""
    expected = chance.choices(words, k=length // 6)
    actual = [chance.choice(words) if chance.random() < 0.1 else word for word in expected]
    number = f" {chance.random() * 1000:.2f}"
    return " ".join(actual) + number, " ".join(expected) + number


def _form(key: str, pair: tuple[str, str]) -> list[str]:
    """The pair as a kind reads it: data kinds get lists of words as JSON."""
    return [json.dumps({"words": side.split()}) if key in JSON_KINDS else side for side in pair]


def _scoring(key: str) -> Callable[[Texts, Texts], object]:
    kind = kinds.get(key)
    config = kind.parse(CONFIGS.get(key, {}))
    return lambda actual, expected: kind.evaluate(
        config, {"actual": Column(actual), "expected": Column(expected)}
    )


def _seconds(judge: Callable[[Texts, Texts], object], actual: Texts, expected: Texts) -> float:
    """The best of five, in seconds of the processor, so that other programs do not count."""
    times = []
    for _ in range(REPEATS):
        started = time.process_time()
        judge(actual, expected)
        times.append(time.process_time() - started)
    return min(times)
