"""JSON is compared as data."""

import pytest

from evaluations.reading.reading import View, compare, read
from evaluations.reading.trees import side_of


def lines(reading):
    return [(line.name, line.tag, line.changes[0][1:3]) for line in reading.lines if not line.folded]


def test_order_of_keys_white_space_and_the_form_of_numbers_are_no_difference():
    after = compare('{"a": 184.5, "b": [1]}', '{ "b":[1.0],"a":184.50 }')[1]

    assert after.summary == "the same data, written differently"
    assert {line.tag for line in after.lines} == {"equal"}


def test_json_in_a_fence_is_compared_as_data_and_the_fence_is_told():
    plain, fenced = '{"a": 1, "b": 2}', '```json\n{\n "a": 1,\n "b": 3\n}\n```'

    before, after = compare(plain, fenced)

    assert after.summary == "1 of 2 values differs, in a fence"
    assert ("b", "replace", ("2", "3")) in lines(after)
    assert before.form.words == "JSON, 2 values"
    assert after.form.words == "JSON in a fence, 2 values"
    assert compare(fenced, plain)[1].summary == "1 of 2 values differs, not in a fence"
    assert compare(fenced, fenced.replace("json", ""))[1].summary == "no difference in values"


def test_a_few_words_around_a_fence_are_kept_beside_the_data():
    fenced = '```json\n{"city": "Rome", "zip": "76693"}\n```'

    before, after = compare(fenced, f"Here it is:\n{fenced}\nBye.")

    assert (after.form.around, after.summary) == ("Here it is:\nBye.", "the same data")
    assert {line.tag for line in after.lines} == {"equal"}
    assert before.form.around == ""


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"a": 1}\n``` and more',
        'See ```json\n{"a": 1}\n```',
        '```\n{"a": 1}\n```\n```\n{"a": 2}\n```',
    ],
)
def test_text_beside_a_fence_keeps_it_a_text(text):
    assert read(text).form.kind != "json"


def test_two_values_of_nine_differ():
    older = {
        "order": 1,
        "placed": "2026-03-03",
        "items": [{"n": 1, "c": 2}, {"n": 2, "c": 2}],
        "x": 1,
        "y": 2,
    }
    newer = older | {"placed": "03/03/2026", "items": [{"n": 1, "c": 2}, {"n": 2, "c": 3}], "z": 3}
    del newer["y"]

    after = compare(older, newer)[1]

    assert after.summary == "4 of 8 values differ"
    assert ("placed", "replace", ('"2026-03-03"', '"03/03/2026"')) in lines(after)
    assert ("c", "replace", ("2", "3")) in lines(after)
    assert ("y", "delete", ("2", "")) in lines(after)
    assert ("z", "insert", ("", "3")) in lines(after)


def test_equal_values_far_from_a_change_are_folded_in_both():
    older = {f"key {n}": n for n in range(40)}
    before, after = compare(older, older | {"key 20": -1}, View(room=600))

    assert [line.folded for line in after.lines if line.folded] == ["18 equal values", "17 equal values"]
    assert [line.folded for line in before.lines if line.folded] == ["18 equal values", "17 equal values"]
    assert ("key 20", "equal", ("20", "20")) in lines(before)


def test_a_list_of_which_something_is_shown_has_both_of_its_brackets():
    older = {
        "a": 1,
        "b": 2,
        "c": 3,
        "tags": ["x", "y"],
        "age": 30,
        "home": {f"part {n}": n for n in range(9)},
    }
    after = compare(older, older | {"age": 31})[1]

    shown = [(line.name, line.changes[0][2] if line.changes else line.folded) for line in after.lines]
    assert shown == [
        ("", "{"), ("a", "1"), ("b", "2"), ("c", "3"), ("tags", "["), ("", '"x"'), ("", '"y"'), ("", "]"),
        ("age", "31"), ("home", "{"), ("part 0", "0"), ("", "8 equal values"), ("", "}"), ("", "}"),
    ]  # fmt: skip


def test_a_value_of_another_type_says_so():
    [line] = [line for line in compare({"a": 5}, {"a": "5"})[1].lines if line.tag == "replace"]

    assert line.note == "same, another type"
    assert compare([1], [True])[1].summary == "1 of 1 value differs"


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', "[1,", "{}", "[NaN]", f"{'[' * 40}1{']' * 40}"])
def test_what_is_no_json_or_too_deep_is_a_text(text):
    assert read(text).form.kind == "text"


def test_raw_shows_json_as_it_was_sent():
    assert read('{"b":1,  "a":2}', View(raw=True)).passages[0].changes[0][2] == '{"b":1,  "a":2}'


def test_one_side_has_no_lines_of_the_other():
    after = compare({"a": 1}, {"b": 2})[1]

    assert [line.name for line in side_of(after.lines, 1) if line.name] == ["a"]


def test_an_object_has_its_keys_in_their_own_order():
    value = {"name": "Ada", "amount": 12}

    assert read(value, View(raw=True)).form.text == '{"name": "Ada", "amount": 12}'
    assert [line.name for line in read(value).lines if line.name] == ["name", "amount"]
