"""Matching of the examples of two datasets, checked against a dictionary."""

import random
from typing import Any

import pytest

from evaluations.datasets import counterparts, datasets
from evaluations.models import Dataset

pytestmark = pytest.mark.django_db


def dataset(project, name: str, *rows: tuple[str | None, Any]) -> Dataset:
    """Examples with these keys and questions."""
    examples = [{"key": key, "inputs": {"q": question}} for key, question in rows]
    return datasets.create(project, None, name, examples)


def matched(first: Dataset, second: Dataset) -> counterparts.Counterparts:
    return counterparts.between((first, first.version), (second, second.version))


def pairs(both: counterparts.Counterparts) -> list[tuple[int, int]]:
    return sorted(zip(both.positions.tolist(), both.other_positions.tolist(), strict=True))


def test_keys_come_first_and_contents_decide_the_rest(project):
    first = dataset(project, "own", ("a", "changed"), (None, "alone"), ("x", "renamed"), ("y", "new"))
    second = dataset(project, "other", ("b", "renamed"), ("a", "before"), (None, "alone"), ("z", "gone"))

    both = matched(first, second)

    assert pairs(both) == [(1, 2), (2, 3), (3, 1)]
    assert (both.by_key, both.changed, both.by_contents, both.left_out) == (1, 1, 2, 1)
    assert both.ambiguous.tolist() == []


@pytest.mark.parametrize("times", [(2, 1), (1, 2), (2, 2)])
def test_contents_that_several_have_decide_nothing(project, times):
    first = dataset(project, "own", *[(None, "twin")] * times[0], (None, "single"))
    second = dataset(project, "other", *[(None, "twin")] * times[1], (None, "single"))

    both = matched(first, second)

    assert pairs(both) == [(times[0] + 1, times[1] + 1)]
    assert both.ambiguous.tolist() == list(range(1, times[1] + 1))


def test_a_twin_whose_other_has_a_key_is_not_ambiguous(project):
    first = dataset(project, "own", ("a", "twin"), (None, "twin"))
    second = dataset(project, "other", (None, "twin"), ("a", "twin"))

    assert pairs(matched(first, second)) == [(1, 2), (2, 1)]


def test_removed_examples_and_later_ones_are_not_matched(project):
    first, second = dataset(project, "own", ("a", "a"), ("b", "b")), dataset(project, "other", ("b", "b"))
    datasets.remove(first, None, 2)

    assert pairs(counterparts.between((first, 1), (second, 1))) == [(2, 1)]
    assert pairs(counterparts.between((first, 2), (second, 1))) == []


@pytest.mark.parametrize("seed", range(5))
def test_many_examples_are_matched_as_a_dictionary_says(project, seed, monkeypatch):
    monkeypatch.setattr(counterparts, "AT_ONCE", 7)
    chance = random.Random(seed)
    rows = [(f"k{n}", f"q{n}") for n in range(60)]
    changed = [(key, question if chance.random() < 0.8 else "other") for key, question in rows]
    kept_positions = chance.sample(changed, 50)

    both = matched(dataset(project, "own", *rows), dataset(project, "other", *kept_positions))

    expected = {(int(key[1:]) + 1, position) for position, (key, _) in enumerate(kept_positions, 1)}
    assert set(pairs(both)) == expected
    assert both.changed == sum(question == "other" for _, question in kept_positions)
