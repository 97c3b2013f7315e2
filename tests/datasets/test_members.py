"""Adding many examples to a split made by hand, and removing them."""

import pytest

from evaluations.datasets import datasets, members, splits
from evaluations.datasets.selections import Selection
from evaluations.datasets.splits import Rule
from evaluations.errors import Conflict, Invalid
from evaluations.models import Dataset, Split
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def questions(project) -> Dataset:
    return factories.questions(project)


@pytest.fixture
def hard(questions) -> Split:
    return factories.split(questions)


def law(dataset: Dataset) -> Selection:
    return Selection(dataset, dataset.version, filter=[("topic", "law")])


def keys(split: Split) -> list[str]:
    split.refresh_from_db()
    dataset = split.dataset
    return [example.key for example in splits.examples(split, dataset.version)]


def test_examples_are_added_once(questions, hard):
    assert members.count(hard, law(questions)) == 1
    assert members.move(hard, law(questions), add=True) == 4
    assert members.move(hard, law(questions), add=True) == 0

    assert keys(hard) == ["k1", "k2", "k4", "k6", "k8", "k10"]


def test_examples_are_removed_from_a_split(questions, hard):
    assert members.move(hard, law(questions), add=False) == 1
    assert keys(hard) == ["k1"]


def test_a_split_may_become_empty(questions, hard):
    everything = Selection(questions, questions.version, everything=True)
    assert members.move(hard, everything, add=False) == 2
    assert (keys(hard), hard.kind) == ([], "hand")


def test_a_dry_run_counts_and_moves_nothing(questions, hard):
    assert members.move(hard, law(questions), add=True, dry_run=True) == 4

    assert keys(hard) == ["k1", "k2"]


def test_an_example_that_was_edited_is_moved_as_the_same_one(questions, hard):
    datasets.edit(questions, None, 2, {"inputs": {"q": "another"}})

    members.move(hard, law(questions), add=False)
    datasets.edit(questions, None, 4, {"inputs": {"q": "another"}})
    members.move(hard, Selection(questions, questions.version, keys=["k4"]), add=True)

    assert keys(hard) == ["k1", "k4"]


def test_a_split_by_rule_takes_no_examples(questions):
    rule = splits.create(questions, None, "law", Rule(filter=[("topic", "law")]))

    with pytest.raises(Invalid) as refusal:
        members.move(rule, law(questions), add=True)

    assert refusal.value.code == "invalid_split"


def test_an_overlap_in_a_group_is_refused_and_moves_nothing(questions, hard):
    splits.change(hard, group="parts")
    splits.create(questions, None, "easy", Rule(keys=["k4"]), "parts")

    with pytest.raises(Conflict) as refusal:
        members.move(hard, law(questions), add=True)

    assert refusal.value.code == "split_overlap"
    assert keys(hard) == ["k1", "k2"]


def test_the_last_move_is_undone_and_redone(questions, hard):
    members.move(hard, law(questions), add=True)

    members.undo(hard, splits.digest(hard))
    assert keys(hard) == ["k1", "k2"]

    members.undo(hard, splits.digest(hard))
    assert keys(hard) == ["k1", "k2", "k4", "k6", "k8", "k10"]


def test_an_older_move_cannot_be_undone(questions, hard):
    members.move(hard, law(questions), add=True)
    digest = splits.digest(hard)
    members.move(hard, Selection(questions, questions.version, keys=["k3"]), add=True)

    with pytest.raises(Conflict) as refusal:
        members.undo(hard, digest)

    assert refusal.value.code == "changed_meanwhile"
    assert keys(hard) == ["k1", "k2", "k3", "k4", "k6", "k8", "k10"]


def test_a_split_to_which_nothing_was_added_has_no_move_to_take_back(questions, hard):
    members.move(hard, Selection(questions, questions.version, keys=["k1"]), add=True)

    with pytest.raises(Conflict):
        members.undo(hard, splits.digest(hard))
