"""Edits of examples."""

import json

import pytest

from evaluations.datasets.edits import DELETE, REPLACE, SET, Edit
from evaluations.errors import Invalid, TooLarge
from evaluations.models import Dataset


def replace(column: str, find: str, replacement: str, part: str = "inputs") -> Edit:
    return Edit(REPLACE, part, column, find=find, replacement=replacement)


@pytest.mark.parametrize(
    ("edit", "before", "after"),
    [
        (Edit(SET, "metadata", "topic", "law"), {"level": 1}, {"level": 1, "topic": "law"}),
        (Edit(SET, "metadata", "topic", "law"), {"topic": "tax", "level": 1}, {"topic": "law", "level": 1}),
        (Edit(SET, "metadata", "topic", 1), {"topic": "1"}, {"topic": 1}),
        (Edit(SET, "metadata", "topic", 1.0), {"topic": 1}, {"topic": 1.0}),
        (Edit(SET, "metadata", "topic"), {"topic": "law", "level": 1}, {"level": 1}),
        (replace("q", "ou", "o"), {"q": "colour, colours", "r": "our"}, {"q": "color, colors", "r": "our"}),
        (replace("q", "a", ""), {"q": "banana"}, {"q": "bnn"}),
        (
            replace("chat", "Hi", "Hello"),
            {"chat": [{"role": "user", "content": "Hi"}, {"Hi": ["Hi", 7, None]}]},
            {"chat": [{"role": "user", "content": "Hello"}, {"Hi": ["Hello", 7, None]}]},
        ),
        (replace("input", "a", "o"), "cat", "cot"),
    ],
)  # fmt: skip
def test_an_edit_changes_the_column_and_leaves_the_rest(edit, before, after):
    assert edit.edited(json.dumps(before)) == json.dumps(after, separators=(",", ":"))


@pytest.mark.parametrize(
    ("edit", "before"),
    [
        (Edit(SET, "metadata", "topic", "law"), {"topic": "law"}),
        (Edit(SET, "metadata", "topic", {"a": 1, "b": 2}), {"topic": {"b": 2, "a": 1}}),
        (Edit(SET, "metadata", "topic"), {"level": 1}),
        (replace("q", "colour", "color"), {"q": "Colour"}),
        (replace("q", "7", "8"), {"q": 7}),
        (replace("q", "a", "b"), {"r": "a"}),
        (replace("q", "a", "a"), {"q": "a"}),
        (replace("q", "a", "b"), "a"),
    ],
)
def test_an_edit_that_changes_nothing_says_so(edit, before):
    assert edit.edited(json.dumps(before)) is None


def test_a_value_that_would_be_longer_than_a_cell_is_never_built():
    """A million texts of a million characters would not fit into memory."""
    edit = replace("q", "a", "b" * 100_000)

    with pytest.raises(TooLarge) as refusal:
        edit.edited(json.dumps({"q": ["a" * 1_000] * 900}))

    assert refusal.value.code == "cell_too_large"


@pytest.mark.parametrize(
    ("edit", "code"),
    [
        (Edit(SET, "metadata", " ", "law"), "required"),
        (replace("nobody", "a", "b"), "missing_column"),
        (replace("q", "a", "b", "metadata"), "missing_column"),
        (replace("q", "", "b"), "required"),
    ],
)
def test_an_edit_that_fits_no_example_is_refused(edit, code):
    with pytest.raises(Invalid) as refusal:
        edit.check(Dataset(columns={"inputs": ["q"], "metadata": ["topic"]}))

    assert refusal.value.code == code


def test_a_value_that_is_longer_than_a_cell_cannot_be_set():
    with pytest.raises(TooLarge):
        Edit(SET, "metadata", "topic", "a" * 1_000_001).check(Dataset(columns={}))


def test_only_a_new_column_is_added_to_those_of_the_dataset():
    dataset_columns = {"inputs": ["q"], "reference": [], "metadata": ["topic"]}

    assert Edit(SET, "metadata", "level", 1).columns(dataset_columns) == dataset_columns | {
        "metadata": ["topic", "level"]
    }
    for edit in (Edit(SET, "metadata", "topic", 1), Edit(SET, "metadata", "topic"), Edit(DELETE)):
        assert edit.columns(dataset_columns) == dataset_columns
