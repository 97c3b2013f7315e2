"""Datasets found by a text of their examples."""

import pytest

from evaluations.datasets import datasets, in_texts

pytestmark = pytest.mark.django_db


def made(project, alice, name, *texts):
    rows = [{"inputs": {"question": text}} for text in texts]
    return datasets.create(project, alice, name, rows)


def test_the_examples_of_the_newest_versions_are_counted(project, alice):
    found = made(project, alice, "Questions", "A Refund?", "no refund", "other")
    made(project, alice, "Others", "parcel")

    assert in_texts.search(project, "refund").counted == [(found, 2)]


def test_a_removed_example_is_not_found(project, alice):
    dataset = made(project, alice, "Questions", "refund", "other")
    dataset.examples.filter(position=1).update(removed_in=2)
    type(dataset).objects.filter(pk=dataset.pk).update(version=2, example_count=1)

    assert in_texts.search(project, "refund").counted == []


def test_what_is_too_large_to_be_read_is_named(project, alice, monkeypatch):
    monkeypatch.setattr(in_texts, "READ", 2)
    large = made(project, alice, "Large", "refund", "b", "c")
    small = made(project, alice, "Small", "refund", "b")

    assert in_texts.search(project, "refund") == in_texts.Found([(small, 1)], [large])
