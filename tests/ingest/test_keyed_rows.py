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


SAMPLES = {
    f"HumanEval/{n}": [{"task_id": f"HumanEval/{n}", "solution": "return 1", "plus_status": "pass"}]
    for n in range(200)
}


def test_short_lists_of_rows_under_names_are_read_inside_one_member_of_the_object():
    file = read({"date": "2025", "settings": {"n": 1}, "eval": SAMPLES})

    assert file.rows == [row for [row] in SAMPLES.values()]
    [warning] = file.reader.warnings
    assert warning.left_out == ("date", "settings")
    assert "“eval”" in warning.message


def test_several_rows_under_a_name_are_several_rows():
    samples = {name: rows * 2 for name, rows in SAMPLES.items()} | {"HumanEval/7": []}

    file = read({"eval": samples, "hash": "ab"})

    assert len(file.rows) == file.reader.rows_seen == 2 * 199 + 1
    assert file.rows[:2] == [SAMPLES["HumanEval/0"][0]] * 2
    assert file.rows[14] == {"task_id": "HumanEval/7"}


def test_the_figures_beside_a_list_of_rows_are_not_its_rows():
    metrics = {f"m{n}": {"mean": n, "error": 0.1} for n in range(9)}

    file = read({"metrics": metrics, "rows": [{"question": "a"}, {"question": "b"}]})

    assert [row["question"] for row in file.rows] == ["a", "b"]


def test_lists_of_many_rows_under_few_names_are_several_lists():
    rows = [{"question": f"q{n}", "answer": "a"} for n in range(20)]

    with pytest.raises(ingest.FileError, match="several lists of rows"):
        read({f"topic {n}": rows for n in range(6)})
