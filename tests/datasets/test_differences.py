"""The differences between two versions, and restoring one."""

import pytest

from evaluations.datasets import datasets, differences, versions
from evaluations.errors import Conflict
from evaluations.imports import changes, imports
from evaluations.models import Import
from tests import factories
from tests.factories import jsonl

pytestmark = pytest.mark.django_db
MAPPING = {"inputs": ["question"], "reference": ["answer"], "key": "key"}


@pytest.fixture
def dataset(project):
    """v1 has k1 (Paris), k2 (Rome), k3 (Oslo); v2 changes k2, removes k3 and adds k4."""
    first = factories.dataset(project)
    mirror(first, [("k1", "q1", "Paris"), ("k2", "q2", "Roma"), ("k4", "q4", "Bern")])
    return first


def mirror(dataset, rows):
    objects = [dict(zip(("key", "question", "answer"), row, strict=True)) for row in rows]
    changes.begin(factories.parked(dataset.project, jsonl(*objects)), dataset, "mirror", MAPPING)
    read_all(dataset)


def read_all(dataset):
    for pk in Import.objects.values_list("pk", flat=True):
        imports.run_import(pk)
    dataset.refresh_from_db()


def restore(dataset, version):
    change = changes.restore(dataset, version, None)
    read_all(dataset)
    change.refresh_from_db()
    return change


def shown(dataset, source, target):
    return [
        (difference["change"], difference["key"], answer(difference["before"]), answer(difference["after"]))
        for difference in differences.described(dataset, differences.between(dataset, source, target))
    ]


def answer(parts):
    return parts and parts["reference"]["answer"]


def content(dataset, version):
    return sorted(datasets.examples(dataset, version).values_list("key", "inputs", "reference", "metadata"))


def test_a_difference_is_added_changed_or_removed(dataset):
    assert shown(dataset, 1, 2) == [
        ("changed", "k2", "Rome", "Roma"),
        ("added", "k4", None, "Bern"),
        ("removed", "k3", "Oslo", None),
    ]


def test_backwards_the_same_examples_differ_the_other_way_round(dataset):
    assert shown(dataset, 2, 1) == [
        ("changed", "k2", "Roma", "Rome"),
        ("added", "k3", None, "Oslo"),
        ("removed", "k4", "Bern", None),
    ]


def test_a_reverted_change_is_no_difference(dataset):
    mirror(dataset, [("k1", "q1", "Paris"), ("k2", "q2", "Rome"), ("k3", "q3", "Oslo")])

    assert differences.between(dataset, 1, 3) == []


def test_without_keys_examples_are_the_same_by_their_contents(project):
    rows = [{"inputs": {"q": text}} for text in ("a", "b")]
    first = datasets.create(project, None, "no keys", rows)
    datasets.remove(first, None, 1)
    datasets.append(first, None, [{"inputs": {"q": "a"}}])

    assert [difference.kind for difference in differences.between(first, 1, 2)] == ["removed"]
    assert differences.between(first, 1, 3) == []


def test_an_example_with_a_new_key_is_known_by_its_contents(dataset):
    mirror(dataset, [("k1", "q1", "Paris"), ("k2", "q2", "Roma"), ("capital of Switzerland", "q4", "Bern")])

    [renamed] = differences.described(dataset, differences.between(dataset, 2, 3))

    assert (renamed["change"], renamed["key"], renamed["key_before"]) == (
        "changed",
        "capital of Switzerland",
        "k4",
    )
    assert renamed["before"] == renamed["after"]
    assert restore(dataset, 2).first["changed"][0]["key_before"] == "capital of Switzerland"


def test_a_restored_version_equals_the_old_one_and_keeps_identities(dataset):
    change = restore(dataset, 1)

    assert (change.status, change.added, change.changed, change.removed) == ("ready", 1, 1, 1)
    assert (dataset.version, content(dataset, 3)) == (3, content(dataset, 1))
    assert {example.key: example.identity for example in datasets.examples(dataset)} == {
        "k1": 1,
        "k2": 2,
        "k3": 3,
    }
    assert dataset.versions.first().example_count == 3


def test_many_differences_are_all_there(dataset, monkeypatch):
    monkeypatch.setattr(differences, "AT_ONCE", 2)
    datasets.append(dataset, None, [{"inputs": {"q": str(n)}} for n in range(7)])

    assert len(differences.between(dataset, 1, 3)) == 3 + 7


def test_a_version_that_equals_the_newest_is_not_made_again(dataset):
    restore(dataset, 1)

    change = restore(dataset, 1)

    assert (change.status, change.version, dataset.version) == ("ready", 3, 3)


def test_a_version_is_not_restored_while_a_file_is_read(dataset):
    changes.restore(dataset, 1, None)

    with pytest.raises(Conflict) as refusal:
        changes.restore(dataset, 1, None)

    assert refusal.value.code == "dataset_not_ready"


def test_a_tag_names_one_version(dataset):
    first, second = (versions.version_of(dataset, number) for number in (1, 2))
    versions.describe(first, tag=" weekly ", comment="the first")

    with pytest.raises(Conflict) as refusal:
        versions.describe(second, tag="weekly")

    assert refusal.value.code == "name_taken"
    assert versions.describe(first, comment="").tag == "weekly"
    versions.describe(first, tag="")
    assert versions.describe(second, tag="weekly").tag == "weekly"
