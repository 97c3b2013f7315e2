"""Reading of JSON arrays."""

import json

import pytest

from evaluations import ingest
from evaluations.ingest import json_array

from .samples import read, read_bytes


def test_elements_are_rows_with_the_lines_they_begin_on():
    file = read("plain.json")

    assert file.rows == [
        {"id": "007", "question": 'brackets ]}, in "text\\", ['},
        {"id": "1e5", "n": 1.5},
    ]
    assert file.lines == [2, 3]


def test_a_wrong_element_costs_one_row():
    file = read("one_wrong_element.json")

    assert file.rows == [{"a": 1}, {"a": 3}]
    assert [(error.code, error.where) for error in file.reader.errors] == [("json_invalid", {"line": 2})]


def test_a_comma_without_an_object_is_an_error():
    file = read("double_comma.json")

    assert file.rows == [{"a": 1}, {"a": 2}]
    assert file.reader.error_counts == {"json_trailing_comma": 2}


@pytest.mark.parametrize(
    ("name", "code", "line"),
    [
        ("cut.json", "json_unfinished", 2),
        ("after_the_end.json", "json_after_end", 2),
        ("one_object.json", "json_not_an_array", 1),
        ("empty_array.json", "no_rows", None),
    ],
)
def test_a_file_that_is_not_one_whole_array_is_refused(name, code, line):
    with pytest.raises(ingest.FileError) as error:
        read(name)

    assert (error.value.code, error.value.where.get("line")) == (code, line)


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_where_chunks_end_does_not_matter(size):
    rows = [{"a": '\\"[{,', "b": [1, {"c": "\\\\"}]}, {"é": "]"}, {"n": 12345678901234567}]
    text = json.dumps(rows, indent=1, ensure_ascii=False).encode()
    chunks = (text[start : start + size] for start in range(0, len(text), size))

    elements = [json.loads(element) for _, element, _ in json_array.elements(chunks, ingest.Limits())]

    assert elements == rows


def test_an_element_that_never_ends_is_refused_at_the_limit():
    content = b'[{"a":1},\n{"b":"' + b"x" * 1_000

    with pytest.raises(ingest.FileError) as error:
        read_bytes(content, "a.json", ingest.Limits(row_characters=100))

    assert (error.value.code, error.value.where) == ("row_too_large", {"line": 2})


def test_duplicate_keys_are_refused_here_too():
    assert read_bytes(b'[{"a":1,"a":2}]', "a.json").reader.error_counts == {"json_duplicate_key": 1}
