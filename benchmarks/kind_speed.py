"""Measures the speed of each kind against a bare call of a library that gives the same numbers."""

import json
import random
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import truediv
from statistics import median

from benchmarks.bare_calls import CALLS, PATTERN, Call, Texts
from evaluations import kinds
from evaluations.values import Column

REPEATS = 5
SECONDS = 1.0  # minimum time of repetitions
TURNS = 20  # approximate number of turns in that time
LETTERS = "etaoinshrdlucmfw"
SHORT, LONG = 120, 10_000
CONFIGS = {"regex_match": {"pattern": PATTERN}}
JSON_KINDS = ("json_match", "json_distance")
ENOUGH = 0.8


@dataclass(frozen=True)
class Speed:
    """Pairs per second of a kind and of its bare call, on a batch of pairs of about `length` characters; and the
    median of their ratio, the kind's speed divided by that of the bare call just after it.
    """

    kind: str
    length: int
    pairs: int
    rate: float
    bare: float
    ratio: float


def report(speeds: Iterable[Speed]) -> Iterator[str]:
    """Lines of text: a table, the bare calls, and the kinds below 80 % of theirs."""
    yield f"{'kind':<24}{'characters':>12}{'batch':>8}{'pairs/s':>12}{'bare':>12}{'ratio':>8}{'ms a pair':>12}"
    behind = []
    for speed in speeds:
        rates = f"{speed.rate:>12,.0f}{speed.bare:>12,.0f}{speed.ratio:>8.2f}{1_000 / speed.rate:>12.3f}"
        yield f"{speed.kind:<24}{speed.length:>12,}{speed.pairs:>8,}{rates}"
        if speed.ratio < ENOUGH:
            behind.append(f"{speed.kind} ({speed.length:,} characters, {speed.ratio:.2f})")
    yield "\nThe bare calls, each of which gives the numbers of its kind:"
    yield from (f"{kind:<24}{call.__doc__}" for kind, call in CALLS.items())
    yield f"\nBelow {ENOUGH:.0%} of the bare call: {', '.join(behind) or 'none'}"


def measure(short: int, long: int, seed: int) -> Iterator[Speed]:
    """Measure every text kind on a batch of so many short pairs, and on one of up to so many of 10 000 characters."""
    for length, maximum in ((SHORT, short), (LONG, long)):
        chance = random.Random(seed)
        words = ["".join(chance.choices(LETTERS, k=chance.randint(2, 9))) for _ in range(4_000)]
        pairs = [_pair(chance, words, length) for _ in range(maximum)]
        for key, bare in CALLS.items():
            actual, expected = [
                list(side) for side in zip(*(_form(key, pair) for pair in pairs), strict=True)
            ]
            count = _fitting(bare, actual, expected)
            scoring_times, bare_times = _turns(_scoring(key), bare, actual[:count], expected[:count])
            yield Speed(
                key,
                length,
                count,
                count / median(scoring_times),
                count / median(bare_times),
                median(map(truediv, bare_times, scoring_times)),
            )


def _pair(chance: random.Random, words: Sequence[str], length: int) -> tuple[str, str]:
    """A reference that ends in a number, and a similar output in which every tenth word differs."""
    expected = chance.choices(words, k=length // 6)
    actual = [chance.choice(words) if chance.random() < 0.1 else word for word in expected]
    number = f" {chance.random() * 1000:.2f}"
    return " ".join(actual) + number, " ".join(expected) + number


def _form(key: str, pair: tuple[str, str]) -> list[str]:
    """The pair in the form a kind reads: data kinds get lists of words as JSON."""
    return [json.dumps({"words": side.split()}) if key in JSON_KINDS else side for side in pair]


def _fitting(bare: Call, actual: Texts, expected: Texts) -> int:
    """The size of a batch that leaves time for all turns."""
    few = actual[:8], expected[:8]
    bare(*few)  # the very first call is slower
    started = time.process_time()
    bare(*few)
    a_pair = (time.process_time() - started) / len(few[0])
    return max(1, min(len(actual), int(SECONDS / TURNS / a_pair)))


def _scoring(key: str) -> Call:
    """A function that scores two lists of values by a kind, without caching between calls."""
    kind = kinds.get(key)
    config = kind.parse(CONFIGS.get(key, {}))
    return lambda actual, expected: kind.evaluate(
        config, {"actual": Column(actual), "expected": Column(expected)}
    )


def _turns(scoring: Call, bare: Call, actual: Texts, expected: Texts) -> tuple[list[float], list[float]]:
    """The processor seconds of each turn. Both calls alternate, so that a temporarily slow processor slows both."""
    times: tuple[list[float], list[float]] = [], []
    started = time.process_time()
    while len(times[0]) < REPEATS or time.process_time() - started < SECONDS:
        for call, seconds in zip((scoring, bare), times, strict=True):
            before = time.process_time()
            call(actual, expected)
            seconds.append(time.process_time() - before)
    return times
