"""Selections of examples for an edit: all conditions hold, and nothing is selected by accident."""

import pytest

from evaluations.datasets import datasets, splits
from evaluations.datasets.selections import Selection
from evaluations.datasets.splits import Rule
from evaluations.errors import Conflict, Invalid
from evaluations.models import Dataset

pytestmark = pytest.mark.django_db


@pytest.fixture
def questions(project) -> Dataset:
    """Ten examples k1 to k10: the even ones are on law, the first five are easy."""
    rows = [
        {
            "key": f"k{n}",
            "inputs": {"q": f"number {n}"},
            "metadata": {"topic": "tax" if n % 2 else "law", "level": "easy" if n < 6 else 2},
        }
        for n in range(1, 11)
    ]
    return datasets.create(project, None, "questions", rows)


def chosen(dataset: Dataset, **conditions) -> list[int]:
    return Selection(dataset, dataset.version, **conditions).chosen.tolist()


@pytest.mark.parametrize(
    ("conditions", "positions"),
    [
        ({"filter": [("topic", "law")]}, [2, 4, 6, 8, 10]),
        ({"filter": [("topic", "law"), ("level", "2")]}, [6, 8, 10]),
        ({"filter": [("topic", "law"), ("topic", "tax"), ("level", "easy")]}, [1, 2, 3, 4, 5]),
        ({"search": "NUMBER 1"}, [1, 10]),
        ({"keys": ["k7"], "positions": [2, 3]}, [2, 3, 7]),
        ({"filter": [("topic", "law")], "search": "number 1"}, [10]),
        ({"filter": [("topic", "law")], "positions": [1, 2]}, [2]),
        ({"search": "nowhere"}, []),
        ({"everything": True}, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
    ],
)
def test_all_conditions_hold(questions, conditions, positions):
    assert chosen(questions, **conditions) == positions


def test_a_selection_within_a_split_is_of_its_examples(questions):
    law = splits.create(questions, None, "law", Rule(filter=[("topic", "law")]))

    assert chosen(questions, split=law, search="number 1") == [10]


def test_examples_that_were_edited_or_removed_are_selected_as_they_are_now(questions):
    datasets.edit(questions, None, 2, {"inputs": {"q": "another"}})
    datasets.remove(questions, None, 4)

    assert chosen(questions, filter=[("topic", "law")]) == [6, 8, 10, 11]
    assert chosen(questions, everything=True) == [1, 3, 5, 6, 7, 8, 9, 10, 11]


@pytest.mark.parametrize(
    ("conditions", "code"),
    [
        ({}, "invalid_edit"),
        ({"filter": [("nobody", "law")]}, "missing_column"),
        ({"keys": ["k1", "k99"]}, "unknown_example"),
        ({"positions": [11]}, "unknown_example"),
    ],
)
def test_a_selection_that_means_nothing_is_refused(questions, conditions, code):
    with pytest.raises(Invalid) as refusal:
        chosen(questions, **conditions)

    assert refusal.value.code == code


def test_a_selection_of_an_older_version_is_refused(questions):
    datasets.remove(questions, None, 1)

    with pytest.raises(Conflict) as refusal:
        _ = Selection(questions, 1, everything=True).chosen

    assert refusal.value.code == "changed_meanwhile"
