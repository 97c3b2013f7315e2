"""Short calls of kinds."""

import pytest

from evaluations import kinds
from evaluations.kinds import Column


@pytest.fixture
def evaluate():
    """Score rows of (actual, expected) with a kind: `evaluate("exact_match", [("a", "a")], strip="none")`."""

    def evaluate(key, rows, *, embed=None, shared=None, **config):
        kind = kinds.get(key)
        actual, expected = zip(*rows, strict=True) if rows else ((), ())
        columns = {"actual": Column(list(actual)), "expected": Column(list(expected))}
        return kind.evaluate(kind.parse(config), columns, embed=embed, shared=shared)

    return evaluate


@pytest.fixture
def explain():
    """The detail of a pair."""

    def explain(key, actual, expected, *, embed=None, **config):
        kind = kinds.get(key)
        return kind.explain(kind.parse(config), actual, expected, embed=embed)

    return explain
