"""Cosine similarity."""

import json
from pathlib import Path

import pytest

from evaluations.metrics import cosine

SAMPLE = Path(__file__).parents[1] / "data" / "products" / "agenta_cosine.jsonl"


def test_the_cosine_is_the_products():
    with SAMPLE.open(encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]

    similarities = [cosine.similarity(line["config"]["a"], line["config"]["b"]) for line in lines]

    assert len(lines) == 60
    assert similarities == pytest.approx([line["result"] for line in lines], abs=1e-9)


@pytest.mark.parametrize(
    ("a", "b", "similarity"),
    [
        ([3, 4], [4, 3], 0.96),
        ([1, 0], [0, 5], 0.0),
        ([2, 2], [-7, -7], -1.0),
        ([0, 0], [1, 1], 0.0),
        ([1e300, 1e300], [1e300, 0], 0.5**0.5),
        ([1e-300, 0], [1e-300, 1e-300], 0.5**0.5),
    ],
)
def test_known_cosines(a, b, similarity):
    assert cosine.similarity(a, b) == pytest.approx(similarity, abs=1e-12)


def test_a_cosine_never_leaves_its_bounds():
    vector = [0.1] * 3

    assert cosine.similarity(vector, vector) <= 1.0
