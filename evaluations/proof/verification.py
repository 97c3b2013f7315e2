"""Checks that every kind computes what its contract promises, on golden vectors and on generated pairs.

The product's batches and the reference implementation must give the same value, verdict and status. For a
golden vector both must give the result worked out by hand.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evaluations import kinds
from evaluations.kinds.contracts import Judgement, Vector
from evaluations.kinds.scores import optional
from evaluations.values import Column, Status

TOLERANCE = 1e-9
WORDS = (
    *(
        "the",
        "The",
        "cat",
        "sat.",
        "on,",
        "mat",
        "7",
        "1,242.5",
        "-3",
        "&amp;",
        "$",
        "(",
        ")",
        "-",
        "_",
        "x_y",
    ),
    *("é", "e\u0301", "straße", "İ", "猫が", "При", "😀", "👩\u200d💻", "«»", "’"),
)
# batch formulas are used for long texts in one alphabet
PLAIN = (
    *(word for word in WORDS if word.isascii()),
    "unforgettable",
    "unforgettably",
    "incomprehensibilities",
)
GAPS = (" ", " ", " ", "", "\n", "\u00a0", "\u2003", "\ufeff", "\r\n")
JSON_TEXTS = (
    '{"a": 1, "b": [1, 2]}',
    '{"b": [2, 1], "a": 1.0}',
    "[true, null, 1]",
    "[1, {}, []]",
    "no",
    "7",
    '"7"',
)


@dataclass(frozen=True)
class Finding:
    """A pair with three results: of the product, of the reference and, for golden vectors, by hand."""

    kind: str
    vector: Vector
    product: Judgement
    reference: Judgement
    stated: Judgement | None = None

    @property
    def agrees(self) -> bool:
        judgements = [self.product, self.reference, *([self.stated] if self.stated else [])]
        return (
            len({(judgement.passed, judgement.status) for judgement in judgements}) == 1
            and self.difference <= TOLERANCE
        )

    @property
    def difference(self) -> float:
        """The largest difference between the values; infinite if only some of them are None."""
        values = [self.product.value, self.reference.value, *([self.stated.value] if self.stated else [])]
        numbers = [value for value in values if value is not None]
        if len(numbers) < len(values):
            return np.inf if numbers else 0.0
        return max(numbers) - min(numbers)


def findings(kind: kinds.Kind, pairs: int = 0, seed: int = 1) -> Iterator[Finding]:
    """A finding for each golden vector and each limit, then for each generated pair, which has no result by hand."""
    for vector in (*kind.contract.golden, *_limits(kind)):
        stated = Judgement(vector.value, vector.passed, vector.status)
        yield Finding(kind.key, vector, _product(kind, vector), kind.contract.judge(vector), stated)
    chance = random.Random(f"{kind.key} {seed}")
    configs = [vector.config for vector in kind.contract.golden]
    for vector in (_generated(chance, chance.choice(configs)) for _ in range(pairs)):
        if not kind.needs_connection:
            vector = replace(vector, embeddings=None)
        yield Finding(kind.key, vector, _product(kind, vector), kind.contract.judge(vector))


def _limits(kind: kinds.Kind) -> Iterator[Vector]:
    """Pairs at the limits of length and depth, which are too long for a contract."""
    yield from kind.contract.limits()
    if not kind.contract.is_cut:
        config = kind.contract.golden[0].config
        yield Vector("x" * 100_001, "x", None, None, config, status="error", why="too long")
    if not kind.contract.is_cut and not kind.contract.is_alone:
        yield Vector("x", "x" * 100_001, None, None, config, status="error", why="too long")


def _product(kind: kinds.Kind, vector: Vector) -> Judgement:
    columns = {"actual": Column([vector.actual]), "expected": Column([vector.expected])}
    scores = kind.evaluate(kind.parse(vector.config), columns, embed=lambda texts: _embedded(vector, texts))
    value, passed = optional(float(scores.values[0]), int(scores.passed[0]))
    return Judgement(value, passed, Status(scores.status[0]).word)


def _embedded(vector: Vector, texts: Sequence[str]) -> list[Any]:
    sides = dict(zip((vector.actual, vector.expected), vector.embeddings or (), strict=True))
    return [np.array(sides[text], np.float32) for text in texts]


def _generated(chance: random.Random, config: dict[str, Any]) -> Vector:
    """Two similar texts with everything that makes texts difficult."""
    if chance.random() < 0.2:
        sides = [chance.choice(JSON_TEXTS), chance.choice(JSON_TEXTS)]
    else:
        is_plain = chance.random() < 0.2
        known_words, gaps = (PLAIN, " \n") if is_plain else (WORDS, GAPS)
        words = chance.choices(known_words, k=40 if is_plain else chance.randint(0, 12))
        changed_words = [word if chance.random() < 0.7 else chance.choice(known_words) for word in words]
        sides = ["".join(word + chance.choice(gaps) for word in side) for side in (changed_words, words)]
    # equal texts have equal embeddings
    vectors = {side: tuple(float(chance.randint(-3, 3)) for _ in range(4)) for side in sides}
    actual, expected = sides
    return Vector(actual, expected, None, config=config, embeddings=(vectors[actual], vectors[expected]))
