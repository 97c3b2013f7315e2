"""Reading of rows inside one JSON object."""

import json

import pytest

from evaluations import ingest
from evaluations.ingest import json_table

from .samples import read_bytes

ROWS = [{"q": "a [", "tags": [["x"]]}, {"q": 'b "]', "more": {"list": [{}, {}]}}, {"q": "c"}]


@pytest.mark.parametrize(
    ("name", "indent"), [("a.json", None), ("a.json", 2), ("a.jsonl", None), ("a.jsonl", 2), ("a.txt", None)]
)
def test_rows_of_the_only_list_in_an_object_are_read(name, indent):
    document = {"version": 1, "tags": ["x", "y"], "data": ROWS, "next": None}

    file = read_bytes(json.dumps(document, indent=indent).encode(), name)

    assert file.rows == ROWS
    (warning,) = file.reader.warnings
    assert warning.code == "json_rows_in_object"
    assert "“data”. Not imported: “version”, “tags”, “next”." in warning.message


def test_lines_are_those_of_the_file():
    text = '{"about":\n  {"n": [1,\n 2]},\n"rows": [\n{"q": 1},\n\n{"q": 2}\n, {"q": oops}]}'

    file = read_bytes(text.encode(), "a.json")

    assert file.lines == [5, 7]
    assert [error.where for error in file.reader.errors] == [{"line": 8}]


def test_a_list_nearer_to_the_outside_has_the_rows():
    document = {"schema": {"fields": [{"name": "q"}, {"name": "r"}]}, "data": ROWS}

    assert read_bytes(json.dumps(document).encode(), "table.json").rows == ROWS


def test_rows_are_found_within_objects():
    document = {"status": "ok", "data": {"examples": ROWS, "count": 3}}

    file = read_bytes(json.dumps(document).encode(), "answer.json")

    assert file.rows == ROWS
    assert "“data.examples”" in file.reader.warnings[0].message


def test_of_several_lists_of_rows_none_is_chosen_silently():
    document = {"train": ROWS, "test": ROWS}

    with pytest.raises(ingest.FileError) as refusal:
        read_bytes(json.dumps(document).encode(), "splits.json")

    assert refusal.value.code == "json_not_an_array"
    assert "“train”, “test”" in refusal.value.message


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50])
def test_chunks_may_end_anywhere_in_an_object(size):
    text = json.dumps({"a\\": [1, "]"], "rows": ROWS, "b": {"c": []}}).encode()
    chunks = (text[start : start + size] for start in range(0, len(text), size))

    assert json.loads(b"".join(json_table.only(chunks, 1))) == ROWS


@pytest.mark.parametrize(
    "text",
    [
        '{"data": [{"q": 1}, {"q": 2}]} {"data": []}',
        '{"data": [{"q": 1}, {"q": 2}], "data": 3}',
        '{"data": [{"q": 1}, {"q": 2}], "n": ' + '{"n": ' * 100 + "1" + "}" * 101,
        json.dumps({f"list {number}": [number] for number in range(200)} | {"data": ROWS}),
        json.dumps({"notes": "x" * 200_000, "data": ROWS}),
    ],
)
def test_any_other_object_is_not_searched_further(text):
    with pytest.raises(ingest.FileError) as refusal:
        read_bytes(text.replace(",", ",\n").encode(), "a.json")

    assert refusal.value.code == "json_not_an_array"


def test_a_first_row_deeper_than_the_limit_costs_only_itself():
    deep = b'{"q": ' + b"[" * 5_000 + b"]" * 5_000 + b"}"

    file = read_bytes(b'{"data": [' + deep + b', {"q": 2}]}', "a.json")

    assert (file.rows, file.reader.error_counts) == ([{"q": 2}], {"json_too_deep": 1})
