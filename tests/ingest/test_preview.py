import io

import pytest
from jsonpath_rfc9535 import find

from evaluations import ingest

from .samples import UPLOADS


def preview(data: bytes, name: str, **choices) -> ingest.Preview:
    return ingest.preview(io.BytesIO(data), name, choices)


def test_the_first_twenty_rows_are_shown():
    shown = preview(b"a,b\n" + b"".join(b"%d,x\n" % number for number in range(50)), "a.csv")

    assert [row["a"] for row in shown.rows] == [str(number) for number in range(20)]
    assert (shown.columns, shown.format.delimiter) == (["a", "b"], ",")


def test_only_the_head_of_a_large_file_is_read():
    data = io.BytesIO(b"a,b\n" + b"1,2\n" * 5_000_000 + b"\xff")

    shown = ingest.preview(data, "a.csv")

    assert len(shown.rows) == 20
    assert data.tell() < 3_000_000


def test_errors_so_far_are_shown():
    shown = preview((UPLOADS / "ragged.csv").read_bytes(), "ragged.csv")

    assert (shown.error_counts, len(shown.errors), len(shown.rows)) == ({"csv_field_count": 2}, 2, 2)


def test_columns_of_later_rows_are_seen():
    data = b'{"a": 1}\n' * 500 + b'{"late": 1}\n'

    assert preview(data, "a.jsonl").columns == ["a", "late"]


def test_the_encoding_can_be_chosen_where_none_was_found():
    data = (UPLOADS / "utf16_without_bom.csv").read_bytes()

    assert preview(data, "a.csv", encoding="utf-16-le").rows[0]["question"] == "café"


@pytest.mark.parametrize(
    ("columns", "mapping"),
    [
        (
            ["id", "question", "ground_truth", "topic"],
            {"inputs": ["question"], "reference": ["ground_truth"], "metadata": ["topic"], "key": "id"},
        ),
        (
            [" Prompt ", "INPUT", "Expected", "answer", "Target"],
            {
                "inputs": [" Prompt ", "INPUT"],
                "reference": ["Expected", "answer", "Target"],
                "metadata": [],
                "key": None,
            },
        ),
        (
            ["key", "id", "questions", "input_text"],
            {"inputs": [], "reference": [], "metadata": ["id", "questions", "input_text"], "key": "key"},
        ),
    ],
)
def test_only_well_known_names_are_suggested(columns, mapping):
    assert ingest.suggest(columns) == mapping


@pytest.mark.parametrize(
    "name", ["6b_finetuning", "plain", "é", "it's", "a b", "back\\slash", "", "a.b", "tab\t"]
)
def test_an_output_path_finds_the_text_it_names(name):
    row = {name: {"solution": "42", "is_correct": True, "steps": {name: "x"}}}

    paths = ingest.output_paths([row])

    assert [find(path, row).values() for path in paths] == [["42"], ["x"]]


def test_paths_are_short_where_names_allow_it():
    row = {"6b_finetuning": {"solution": "42"}, "b": {"c": "d"}, "top": "not nested"}

    assert ingest.output_paths([row, row]) == ["$['6b_finetuning'].solution", "$.b.c"]
