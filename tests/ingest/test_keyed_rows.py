"""Files that are one JSON object with a row under each name."""

import json

import pytest

from evaluations import ingest

from .samples import read_bytes

KEYED = {f"ex-{n}": {"question": f"What is {n}?", "answer": {"text": str(n)}} for n in range(5)}


def read(document, **dumps):
    return read_bytes(json.dumps(document, **dumps).encode(), "preds.json")


@pytest.mark.parametrize("indent", [None, 4])
def test_the_names_become_a_column(indent):
    file = read(KEYED, indent=indent)

    assert file.rows == [{"key": name, **row} for name, row in KEYED.items()]
    assert [warning.code for warning in file.reader.warnings] == ["json_keyed_rows"]


def test_a_long_file_is_read_to_its_end():
    document = {f"ex-{n}": {"question": f'a "quoted" \\ {{[{n}' * 50, "answer": n} for n in range(5_000)}

    file = read(document)

    assert [row["key"] for row in file.rows] == list(document)
    assert [row["answer"] for row in file.rows] == list(range(5_000))


def test_the_column_has_a_name_that_no_row_has():
    document = {name: {"key": 1, "id": 2, **row} for name, row in KEYED.items()}

    assert read(document).rows[0] == {"name": "ex-0", "key": 1, "id": 2, **KEYED["ex-0"]}


def test_rows_may_lack_fields_and_what_is_no_row_is_an_error():
    names = [f"ex-{n}" for n in range(60_000)]
    document = {name: {"question": name, "answer": "a"} for name in names}
    document["ex-3"] = {"question": "q"}
    document["last"] = 7

    file = read(document)

    assert file.rows[3] == {"key": "ex-3", "question": "q"}
    assert len(file.rows) == len(names)
    [error] = file.reader.errors
    assert error.code == "json_not_an_object"


def test_lists_of_rows_inside_are_read_with_the_name_around_them():
    passages = {
        f"nfl_{n}": {
            "passage": f"p{n}",
            "qa_pairs": [{"question": "a", "query_id": 1}, {"question": "b", "query_id": 2}],
        }
        for n in range(6)
    }

    file = read(passages)

    assert len(file.rows) == 12
    assert file.rows[1] == {"key": "nfl_0", "passage": "p0", "question": "b", "query_id": 2}


@pytest.mark.parametrize(
    "document",
    [
        {name: KEYED[name] for name in ("ex-0", "ex-1", "ex-2")},
        {name: {"0": "a", "1": "b"} for name in "abcdef"},
        {name: ["a", "b"] for name in "abcdef"},
    ],
    ids=["as few as splits", "columns of numbered cells", "columns"],
)
def test_other_objects_are_no_rows(document):
    with pytest.raises(ingest.FileError) as refusal:
        read(document)

    assert refusal.value.code == "json_not_an_array"


def test_objects_without_a_common_field_are_one_example():
    document = {name: {other: 1} for name, other in zip("abcdef", "uvwxyz", strict=True)}

    assert read(document).rows == [document]
