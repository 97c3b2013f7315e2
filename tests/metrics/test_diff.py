"""Diffs of texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluations.metrics.diff import are_unlike, diff

TEXTS = st.text(st.sampled_from(list("abAB .,\n日é")), max_size=60)
OPTIONS = st.fixed_dictionaries(
    {
        "level": st.sampled_from(["word", "character", "none"]),
        "ignore_case": st.booleans(),
        "ignore_whitespace": st.booleans(),
    }
)


@given(a=TEXTS, b=TEXTS, options=OPTIONS)
def test_the_parts_of_each_side_are_its_text(a, b, options):
    changes = diff(a, b, **options)

    assert "".join(old for _, old, _, _ in changes) == a
    assert "".join(new for _, _, new, _ in changes) == b


@given(a=TEXTS, b=TEXTS)
def test_the_inside_of_a_change_is_made_of_the_same_texts(a, b):
    for _, old, new, inner in diff(a, b):
        if inner is not None:
            assert "".join(part for _, part, _, _ in inner) == old
            assert "".join(part for _, _, part, _ in inner) == new


@given(a=TEXTS, b=TEXTS, options=OPTIONS)
def test_an_empty_side_of_a_change_follows_from_its_tag(a, b, options):
    for tag, old, new, _ in diff(a, b, **options):
        assert {"insert": not old, "delete": not new, "replace": old and new, "equal": True}[tag]


@given(text=TEXTS, options=OPTIONS)
def test_a_text_does_not_differ_from_itself(text, options):
    assert diff(text, text, **options) == ([("equal", text, text, None)] if text else [])


def test_words_are_compared_before_characters():
    assert diff("the invoice shows 15 seats", "the invoice will show 15 seats") == [
        ("equal", "the invoice ", "the invoice ", None),
        ("insert", "", "will ", None),
        ("replace", "shows", "show", [("equal", "show", "show", None), ("delete", "s", "", None)]),
        ("equal", " 15 seats", " 15 seats", None),
    ]


def test_words_less_than_half_alike_are_replaced_whole():
    assert diff("a dog", "a cat") == [("equal", "a ", "a ", None), ("replace", "dog", "cat", None)]


def test_changes_with_hardly_anything_between_them_are_one():
    assert diff("red hot iron", "dry ice iron") == [
        ("replace", "red hot", "dry ice", None),
        ("equal", " iron", " iron", None),
    ]


def test_characters_with_hardly_anything_between_them_are_one():
    assert diff("abXcdYef", "abUcdVef", level="character") == [
        ("equal", "ab", "ab", None),
        ("replace", "XcdY", "UcdV", None),
        ("equal", "ef", "ef", None),
    ]


def test_three_equal_characters_stand_for_themselves():
    assert [tag for tag, *_ in diff("Xabcy", "Uabcv", level="character")] == ["replace", "equal", "replace"]


@pytest.mark.parametrize("level", ["word", "character", "none"])
def test_case_may_be_ignored(level):
    assert diff("Hello World", "hello WORLD", level=level, ignore_case=True) == [
        ("equal", "Hello World", "hello WORLD", None)
    ]


@pytest.mark.parametrize("level", ["word", "character", "none"])
def test_whitespace_may_be_ignored(level):
    assert diff(" a  b", "a\nb ", level=level, ignore_whitespace=True) == [("equal", " a  b", "a\nb ", None)]


def test_without_a_level_a_text_is_the_same_or_not():
    assert diff("a b", "a c", level="none") == [("replace", "a b", "a c", None)]


def test_texts_are_compared_up_to_the_cap():
    changes = diff("a" * 60_000, "a" * 60_000 + "b")

    assert changes == [("equal", "a" * 50_000, "a" * 50_000, None)]


@pytest.mark.parametrize(
    ("a", "b", "unlike"),
    [
        ("one two three four five six seven eight", "one two three 4 5 6 7 8", False),
        ("one two three four five six seven eight", "one two 3 4 5 6 7 8", True),
        ("one two", "three", False),
        ("one two three four five", "1 2 3 4 5", True),
        ("one two three four five", "one 2 3 4 5", False),
        ("", "?!", False),
    ],
)
def test_texts_that_share_less_than_three_words_in_ten_are_unlike(a, b, unlike):
    assert are_unlike(diff(a, b)) == unlike
