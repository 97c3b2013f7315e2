"""Splits by metadata, by chance and by hand: stability under changes of the dataset, and overlaps."""

import pytest

from evaluations.datasets import datasets, splits
from evaluations.datasets.splits import Rule
from evaluations.errors import Conflict, Invalid, NotFound
from evaluations.models import Dataset, Split

pytestmark = pytest.mark.django_db
TOPICS = ("law", "tax", "law", "travel")


def example(number: int) -> dict:
    return {"key": f"k{number}", "inputs": {"q": f"q{number}"}, "metadata": {"topic": TOPICS[number % 4]}}


@pytest.fixture
def questions(project) -> Dataset:
    """A hundred examples, half of them on law."""
    return datasets.create(project, None, "questions", [example(number) for number in range(1, 101)])


def identities(split: Split, version: int = 0) -> set[int]:
    dataset = split.dataset
    dataset.refresh_from_db()
    positions = splits.positions(split, version or dataset.version).tolist()
    return {example.identity for example in dataset.examples.filter(position__in=positions)}


def test_a_filter_is_asked_anew_in_every_version(questions):
    law = splits.create(questions, None, "law", Rule(filter=[("topic", "law")]))

    datasets.append(questions, None, [example(102), example(103)])

    assert len(splits.positions(law, 1)) == 50
    assert set(splits.positions(law, 2)) - set(splits.positions(law, 1)) == {101}


def test_of_several_values_of_a_column_one_must_hold(questions):
    rule = Rule(filter=[("topic", "tax"), ("topic", "travel")])

    assert len(splits.positions(splits.create(questions, None, "rest", rule), 1)) == 50


def test_a_share_has_exactly_its_part_when_it_is_made(questions):
    fifth = splits.create(questions, None, "fifth", Rule(share=0.2, seed=7))
    of_law = splits.create(questions, None, "law", Rule(filter=[("topic", "law")], share=0.1, seed=7))

    assert (len(splits.positions(fifth, 1)), len(splits.positions(of_law, 1))) == (20, 5)


def test_the_same_seed_draws_the_same_examples(questions):
    split, same_seed, other_seed = (
        identities(splits.create(questions, None, name, Rule(share=0.5, seed=seed)))
        for name, seed in (("one", 7), ("same", 7), ("other", 8))
    )

    assert split == same_seed != other_seed


def test_an_example_stays_in_its_share_when_the_dataset_changes(questions):
    half = splits.create(questions, None, "half", Rule(share=0.5, seed=3))
    before = identities(half)
    edited = min(before)

    datasets.edit(questions, None, edited, {"inputs": {"q": "another"}})
    datasets.remove(questions, None, max(before))
    datasets.append(questions, None, [example(number) for number in range(101, 161)])

    assert identities(half) & set(range(1, 101)) == before - {max(before)}
    assert 20 <= len(identities(half) - before) <= 40


def test_shares_of_a_group_have_every_example_once(questions):
    dev = splits.create(questions, None, "dev", Rule(share=0.2, seed=5), "parts")
    test = splits.create(questions, None, "test", Rule(share=0.3), "parts")
    train = splits.create(questions, None, "train", Rule(share=0.5), "parts")
    datasets.append(questions, None, [example(number) for number in range(101, 150)])

    parts = [identities(split) for split in (dev, test, train)]

    assert [len(identities(split, 1)) for split in (dev, test, train)] == [20, 30, 50]
    assert sorted(position for part in parts for position in part) == list(range(1, 150))


def test_a_share_fits_where_another_of_the_group_was_deleted(questions):
    dev = splits.create(questions, None, "dev", Rule(share=0.2, seed=5), "parts")
    test = splits.create(questions, None, "test", Rule(share=0.8), "parts")
    splits.delete(dev)

    smaller = splits.create(questions, None, "dev", Rule(share=0.1), "parts")

    assert len(identities(smaller)) == 10
    assert not identities(smaller) & identities(test)


def test_a_group_has_no_more_than_all_examples(questions):
    splits.create(questions, None, "dev", Rule(share=0.6, seed=5), "parts")

    with pytest.raises(Invalid) as refusal:
        splits.create(questions, None, "test", Rule(share=0.5), "parts")

    assert (refusal.value.code, list(refusal.value.fields)) == ("invalid_split", ["share"])


def test_chosen_examples_stay_when_they_are_edited(questions):
    hard = splits.create(questions, None, "hard", Rule(keys=["k3", "k7"], positions=[7, 9]))

    datasets.edit(questions, None, 7, {"inputs": {"q": "another"}})

    assert identities(hard) == {3, 7, 9}
    assert splits.positions(hard, 2).tolist() == [3, 9, 101]


@pytest.mark.parametrize("rule", [Rule(keys=["k3", "nobody"]), Rule(positions=[3, 900])])
def test_a_chosen_example_must_exist(questions, rule):
    with pytest.raises(Invalid) as refusal:
        splits.create(questions, None, "hard", rule)

    assert refusal.value.code == "unknown_example"


def test_an_overlap_in_a_group_is_refused_and_named(questions):
    law = splits.create(questions, None, "law", Rule(filter=[("topic", "law")]), "parts")

    with pytest.raises(Conflict) as refusal:
        splits.create(questions, None, "hard", Rule(keys=["k1", "k2", "k4"]), "parts")

    assert (refusal.value.code, refusal.value.where) == ("split_overlap", {"split": law.pk, "examples": 2})
    assert not Split.objects.filter(name="hard").exists()


def test_an_overlap_of_a_later_version_is_refused_where_it_is_used(questions):
    law = splits.create(questions, None, "law", Rule(filter=[("topic", "law")]), "parts")
    splits.create(questions, None, "tax", Rule(keys=["k1"]), "parts")
    datasets.edit(questions, None, 1, {"metadata": {"topic": "law"}})

    assert len(splits.frozen(law, 1)) == 50
    with pytest.raises(Conflict) as refusal:
        splits.frozen(law, 2)
    assert refusal.value.code == "split_overlap"


def test_a_restored_split_may_not_overlap_either(questions):
    law = splits.create(questions, None, "law", Rule(filter=[("topic", "law")]), "parts")
    splits.delete(law)
    splits.create(questions, None, "hard", Rule(keys=["k2"]), "parts")

    with pytest.raises(Conflict):
        splits.restore(law)

    assert not splits.live(questions).filter(pk=law.pk).exists()


def test_a_name_is_free_in_another_dataset_and_taken_in_its_own(project, questions):
    splits.create(questions, None, "Test", Rule(share=0.5))
    second = datasets.create(project, None, "others", [example(1)])

    splits.create(second, None, "test", Rule(share=1))

    with pytest.raises(Conflict) as refusal:
        splits.create(questions, None, "test", Rule(share=0.5))
    assert refusal.value.code == "name_taken"


def test_a_split_is_found_by_name_before_its_id(questions):
    first = splits.create(questions, None, "dev", Rule(share=0.5))
    second = splits.create(questions, None, str(first.pk), Rule(share=0.5))

    assert splits.named(questions, "DEV") == first
    assert splits.named(questions, str(first.pk)) == second
    assert splits.named(questions, str(second.pk)) == second
    with pytest.raises(NotFound):
        splits.named(questions, "nowhere")


@pytest.mark.parametrize(
    ("rule", "field"),
    [
        (Rule(), "filter"),
        (Rule(share=0.0), "share"),
        (Rule(share=1.5), "share"),
        (Rule(share=0.5, keys=["k1"]), "keys"),
        (Rule(filter=[("nobody", "law")]), "filter"),
    ],
)
def test_a_rule_that_says_nothing_is_refused(questions, rule, field):
    with pytest.raises(Invalid) as refusal:
        splits.create(questions, None, "odd", rule)

    assert list(refusal.value.fields) == [field]


def test_an_empty_split_cannot_be_asked(questions):
    nobody = splits.create(questions, None, "nobody", Rule(filter=[("topic", "music")]))

    with pytest.raises(Conflict) as refusal:
        splits.frozen(nobody, 1)

    assert refusal.value.code == "split_empty"
