"""Saved mappings: named ones, also for files that lack columns, and those remembered by header."""

import pytest

from evaluations.errors import NotFound
from evaluations.imports.columns import saved_mappings
from evaluations.models import SavedMapping

WHOLE = {
    "inputs": ["question", "$.item.level"],
    "reference": {"answer": "gold"},
    "metadata": ["item.tags[0]"],
    "key": "id",
    "outputs": {"v1": "v1", "v2": "$.v2.text"},
    "scores": {"COMET": {"v1": "comet"}},
    "lower_is_better": ["COMET"],
}


def test_the_columns_of_a_mapping_include_those_of_paths():
    assert sorted(saved_mappings.columns_of(WHOLE)) == sorted(
        ["question", "item", "gold", "item.tags[0]", "id", "v1", "v2", "comet"]
    )


def test_a_file_that_lacks_columns_gets_the_rest():
    mapped, missing = saved_mappings.fitting(WHOLE, ["id", "question", "inputs.gold", "item", "v1"])

    assert missing == ["gold", "v2", "comet"]
    assert (mapped.key, dict(mapped.paths)["item.tags[0]"]) == ("id", "$.item.tags[0]")


def test_a_column_that_an_export_named_with_its_part_is_there():
    mapped, missing = saved_mappings.fitting({"inputs": ["q"]}, ["inputs.q"])

    assert (missing, mapped.columns_of("inputs")) == ([], {"q": "inputs.q"})


@pytest.mark.django_db
def test_mappings_that_fit_a_file_are_offered_first_then_those_used_last(project):
    fitting = {"inputs": ["a"]}
    for name, mapping in (("first", fitting), ("second", fitting), ("other", {"inputs": ["z"]})):
        saved_mappings.create(project, None, name, mapping)
    saved_mappings.use(project, "first")

    offered = [saved.name for saved in saved_mappings.offered(project, ["a", "b"])]

    assert offered == ["first", "second", "other"]


@pytest.mark.django_db
def test_the_last_mapping_of_a_header_is_remembered(project):
    columns = ["a", "b"]
    for mapping in ({"inputs": ["a"]}, {"inputs": ["b"]}):
        saved_mappings.remember(project, columns, mapping)

    assert saved_mappings.recall(project, columns) == {"inputs": ["b"]}
    assert saved_mappings.recall(project, ["b", "a"]) is None
    assert not saved_mappings.live(project).exists()
    with pytest.raises(NotFound):
        saved_mappings.named(project, str(SavedMapping.objects.get().pk))


@pytest.mark.django_db
def test_headers_unused_for_longest_are_forgotten_and_names_stay(project, monkeypatch):
    monkeypatch.setattr(saved_mappings, "MOST_MAPPINGS", 2)
    saved_mappings.create(project, None, "weekly", {"inputs": ["a"]})

    for column in "abc":
        saved_mappings.remember(project, [column], {"inputs": [column]})

    remembered = [column for column in "abc" if saved_mappings.recall(project, [column])]
    assert (remembered, saved_mappings.live(project).count()) == (["b", "c"], 1)
