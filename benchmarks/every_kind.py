"""Measures every kind of the catalogue on pairs of the form that it reads."""

import json
import random
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from benchmarks.bare_calls import PATTERN
from benchmarks.kind_speed import LETTERS, SHORT, _pair
from evaluations import kinds
from evaluations.metrics import meaning
from evaluations.values import JSON, Column

REPEATS = 3
SLOW = {"semantic_similarity": 300}  # pairs, at most
MILLION = 1_000_000


class KindSpeed(NamedTuple):
    """The processor seconds of a kind for a million pairs, from the best of a few repetitions of a batch."""

    kind: str
    pairs: int
    seconds: float


def report(speeds: Iterator[KindSpeed]) -> Iterator[str]:
    """Lines of text: a table."""
    yield f"{'kind':<24}{'batch':>8}{'pairs/s':>12}{'s a million':>14}"
    for speed in speeds:
        yield f"{speed.kind:<24}{speed.pairs:>8,}{MILLION / speed.seconds:>12,.0f}{speed.seconds:>14,.1f}"


def measure(pairs: int, seed: int) -> Iterator[KindSpeed]:
    """Measure each kind on a batch of so many pairs of about 120 characters, or of values with such texts."""
    chance = random.Random(seed)
    words = ["".join(chance.choices(LETTERS, k=chance.randint(2, 9))) for _ in range(4_000)]
    texts = [_pair(chance, words, SHORT) for _ in range(pairs)]
    for kind in kinds.CATALOGUE.values():
        batch = texts[: SLOW.get(kind.key, pairs)]
        actual, expected = ([_form(kind.key, side) for side in sides] for sides in zip(*batch, strict=True))
        config = kind.parse(CONFIGS.get(kind.key, {}))
        columns = {"actual": Column(actual), "expected": Column(expected)}
        yield KindSpeed(kind.key, len(batch), _seconds(kind, config, columns) / len(batch) * MILLION)


def _seconds(kind: kinds.Kind, config: kinds.Config, columns: dict[str, Column]) -> float:
    """The shortest time of a few repetitions; nothing is cached between them."""
    times = []
    for _ in range(REPEATS):
        before = time.process_time()
        kind.evaluate(config, columns, embed=meaning.embed if kind.needs_connection else None)
        times.append(time.process_time() - before)
    return min(times)


SCHEMA = {
    "type": "object",
    "required": ["city", "tags"],
    "properties": {"city": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}},
}
CONFIGS: dict[str, dict[str, JSON]] = {
    "regex_match": {"pattern": PATTERN},
    "check": {"must": "not_contain", "phrases": "zzz|yyy"},
    "json_schema": {"schema": SCHEMA},
    "semantic_similarity": {"model": meaning.MODEL},
    "formula": {"expression": "0.7 * letters + 0.3 * min(words, 2)"},
}


def _form(key: str, text: str) -> Any:
    """A text in the form that a kind reads."""
    words = text.split()
    if key == "label":
        return words[0][0]
    if key == "value":
        return float(words[-1])
    if key == "formula":
        return {"letters": len(text), "words": len(words)}
    if key == "retrieval":
        return words[:8]
    if key == "tool_calls":
        return [{"name": "find", "arguments": {"city": words[0], "n": 1}}, {"name": "tell", "arguments": {}}]
    if key == "checks":
        return [{"type": "contains", "value": words[0]}, {"type": "word-count", "value": {"max": 50}}]
    if key in ("json_match", "json_distance", "json_fields", "json_schema"):
        return json.dumps({"city": words[0], "zip": words[1], "tags": words[2:8], "n": len(text)})
    return text
