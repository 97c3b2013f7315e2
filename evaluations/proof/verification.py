"""Whether the product computes what its contracts promise: golden vectors and generated pairs, judged twice.

The product's batches and the reference's plain loops must give the same value, verdict and status; for a
golden vector both must give what was worked out by hand.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from evaluations import kinds
from evaluations.kinds.contracts import Vector
from evaluations.values import Column, Status

from . import reference
from .reference import Judgement

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
# Long texts of one alphabet are what formulas for many texts at once are made for.
PLAIN = (
    *(word for word in WORDS if word.isascii()),
    "unforgettable",
    "unforgettably",
    "incomprehensibilities",
)
GAPS = (" ", " ", " ", "", "\n", "\u00a0", "\u2003", "\ufeff", "\r\n")
DATA = (
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
    """One pair, with what the product and the reference make of it, and what was worked out by hand."""

    kind: str
    vector: Vector
    product: Judgement
    reference: Judgement
    stated: Judgement | None = None

    @property
    def agrees(self) -> bool:
        judgements = [self.product, self.reference, *([self.stated] if self.stated else [])]
        return len({(one.passed, one.status) for one in judgements}) == 1 and self.difference <= TOLERANCE

    @property
    def difference(self) -> float:
        """How far the values are apart; infinite where only some are none."""
        values = [self.product.value, self.reference.value, *([self.stated.value] if self.stated else [])]
        if None in values:
            return 0.0 if set(values) == {None} else np.inf
        return max(values) - min(values)


def findings(kind: kinds.Kind, pairs: int = 0, seed: int = 1) -> Iterator[Finding]:
    """One for each golden vector of a kind and each limit, then for generated pairs without a stated result."""
    for vector in (*kind.contract.golden, *_limits(kind.key)):
        stated = Judgement(vector.value, vector.passed, vector.status)
        yield Finding(kind.key, vector, _product(kind, vector), referenced(kind, vector), stated)
    chance = random.Random(f"{kind.key} {seed}")
    configs = [vector.config for vector in kind.contract.golden]
    for vector in (_generated(chance, chance.choice(configs)) for _ in range(pairs)):
        yield Finding(kind.key, vector, _product(kind, vector), referenced(kind, vector))


def _limits(key: str) -> Iterator[Vector]:
    """Pairs at the limits of length and depth: too long to be shown, so no part of a contract."""
    pattern = {"pattern": "x"} if key == "regex_match" else {}
    if key == "levenshtein_similarity":
        yield Vector("x" * 100_001, "x" * 10_001, 1.0, True, why="both are cut to 10 000")
        edited = "y" * 50 + "x" * 9_950 + "z" * 10
        yield Vector(edited, "x" * 10_010, 1.0, True, why="1 − 50/10 000, half up; 0.99 when cut elsewhere")
    else:
        yield Vector("x" * 100_001, "x", None, None, pattern, status="error", why="too long")
        yield Vector("x", "x" * 100_001, None, None, pattern, status="error", why="too long")
    if key == "exact_match":
        yield Vector("x" * 100_000, "x" * 100_000, 1.0, True, why="just not too long")
    if key in ("json_match", "json_distance"):
        equal = 1.0 if key == "json_match" else 0.0
        for depth, value, status in ((200, equal, "scored"), (201, None, "error")):
            yield Vector("[" * depth + "]" * depth, "[" * depth + "]" * depth, value, status=status)


def _product(kind: kinds.Kind, vector: Vector) -> Judgement:
    columns = {"actual": Column([vector.actual]), "expected": Column([vector.expected])}
    scores = kind.evaluate(kind.parse(vector.config), columns, embed=lambda texts: _embedded(vector, texts))
    value, passed = float(scores.values[0]), int(scores.passed[0])
    return Judgement(
        None if np.isnan(value) else value,
        None if passed < 0 else bool(passed),
        Status(scores.status[0]).word,
    )


def _embedded(vector: Vector, texts: list[str]) -> list[Any]:
    sides = dict(zip((vector.actual, vector.expected), vector.embeddings or (), strict=True))
    return [np.array(sides[text], np.float32) for text in texts]


def referenced(kind: kinds.Kind, vector: Vector) -> Judgement:
    """What the reference makes of a vector."""
    extra = {"embeddings": vector.embeddings} if kind.needs_connection else {}
    return reference.judge(kind.key, vector.config, vector.actual, vector.expected, **extra)


def _generated(chance: random.Random, config: dict[str, Any]) -> Vector:
    """Two texts of which one was mostly made from the other, with what makes texts difficult."""
    if chance.random() < 0.2:
        sides = [chance.choice(DATA), chance.choice(DATA)]
    else:
        is_plain = chance.random() < 0.2
        known_words, gaps = (PLAIN, " \n") if is_plain else (WORDS, GAPS)
        words = chance.choices(known_words, k=40 if is_plain else chance.randint(0, 12))
        others = [word if chance.random() < 0.7 else chance.choice(known_words) for word in words]
        sides = ["".join(word + chance.choice(gaps) for word in side) for side in (others, words)]
    # A text has one embedding, on whichever side it is.
    known = {side: tuple(float(chance.randint(-3, 3)) for _ in range(4)) for side in sides}
    actual, expected = sides
    return Vector(actual, expected, None, config=config, embeddings=(known[actual], known[expected]))
