"""Files of other shapes than rows of a table: read as what they are, or refused by name."""

import io
import json
from contextlib import suppress
from typing import Any

import pytest

from evaluations import ingest
from evaluations.ingest.escapes import doubled


def preview(content: str | bytes, name: str = "rows.json", **choices: Any) -> ingest.Preview:
    encoded = content.encode() if isinstance(content, str) else content
    return ingest.preview(io.BytesIO(encoded), name, choices, limits=ingest.Limits())


def refusal(content: str, name: str, **choices: Any) -> ingest.FileError:
    with pytest.raises(ingest.FileError) as refused:
        preview(content, name, **choices)
    return refused.value


# ---- YAML and XML ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("- question: What, in words?\n  answer: four\n", "pasted.txt"),
        ("tests:\n  - vars:\n      a: b\n", "tests.txt"),
        ("---\nquestion: a\n", "a.csv"),
        ("# a comment\n- a: b\n", "a.csv"),
        ("question,answer\nq,a\n", "rows.yaml"),
    ],
)
def test_yaml_is_refused_by_name(content, name):
    refused = refusal(content, name)

    assert (refused.code, "YAML" in refused.message) == ("yaml_file", True)


@pytest.mark.parametrize(
    "content",
    ["- a,b\n1,2\n", "note: x,y\n1,2\n", "question:\nwhat?\n", "a: b\nc: d\n", "time;- what\n12:00;x\n"],
)
def test_tables_that_only_begin_like_yaml_are_read(content):
    assert preview(content, "rows.csv").row_count == 1


@pytest.mark.parametrize(
    "content",
    [
        "<promptfoo>\n  <evalId>e</evalId>\n</promptfoo>\n",
        "<promptfoo><results/></promptfoo>",
        '<testsuite name="a, b">\n<testcase/>\n</testsuite>',
    ],
)
def test_xml_without_a_declaration_is_refused_by_name(content):
    refused = refusal(content, "results.xml")

    assert (refused.code, "XML" in refused.message) == ("wrong_type", True)
    assert ("-o results.json" in refused.hint) == ("promptfoo" in content)


@pytest.mark.parametrize("content", ["<q>,<a>\n1,2\n", "<q>\n1\n", "<b>bold</b> text,x\n1,2\n"])
def test_tables_whose_header_is_in_brackets_are_read(content):
    if "bold" in content:
        assert refusal(content, "rows.csv").code == "wrong_type"
    else:
        assert preview(content, "rows.csv").row_count == 1


@pytest.mark.parametrize("content", ["{\n", "<\n", "<>\n<", "x\n", "> \n", "< a>\n<b"])
def test_a_file_of_a_few_signs_is_read_or_refused(content):
    with suppress(ingest.FileError):
        assert preview(content, "rows.csv").columns


# ---- quotes after a backslash ------------------------------------------------------------------------------


def test_quotes_after_a_backslash_are_detected():
    table = preview('id,q\n1,"say \\"hi\\", ok"\n2,"C:\\\\temp \\d"\n', "rows.csv")

    assert [row["q"] for row in table.rows] == ['say "hi", ok', "C:\\temp \\d"]
    assert [warning.code for warning in table.warnings] == ["csv_escape"]


@pytest.mark.parametrize("cell", ['"C:\\"', '"a ""b"" \\ c"', "\\d", "\\\\server"])
def test_backslashes_of_ordinary_files_stay(cell):
    table = preview(f"id,q\n1,{cell}\n", "rows.csv")

    assert table.rows[0]["q"] == cell.strip('"').replace('""', '"')
    assert not table.format.escape


def test_the_user_decides_about_backslashes():
    content = 'id,q\n1,"C:\\\\"\n'

    assert preview(content, "rows.csv").rows[0]["q"] == "C:\\\\"
    assert preview(content, "rows.csv", escape=True).rows[0]["q"] == "C:\\"


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_backslashes_are_read_across_chunks(size):
    text = b'a\\,"b \\"c\\" \\\\ \\n""",\\"\n"\\\\"\n'
    chunks = [text[at : at + size] for at in range(0, len(text), size)]

    assert b"".join(doubled(iter(chunks))) == b"".join(doubled(iter([text])))


# ---- JSON --------------------------------------------------------------------------------------------------


def test_a_list_of_one_object_with_a_usual_name_has_the_rows():
    file = {"testCases": [{"input": "q"}], "metricsScores": [{"metric": "m"}, {"metric": "n"}]}

    table = preview(json.dumps(file))

    assert (table.columns, table.row_count) == (["input"], 1)
    assert table.warnings[0].left_out == ("metricsScores",)


def test_a_row_with_a_list_of_one_object_stays_a_row():
    assert preview('{"question": "q", "data": [{"a": 1}]}\n', "rows.jsonl").columns == ["question", "data"]


@pytest.mark.parametrize("names", [["q", "a"], [0, 1], [{"name": "q"}, {"name": "a"}]])
def test_the_names_of_cells_may_be_texts_numbers_or_objects(names):
    table = preview(json.dumps({"columns": names, "data": [["x", "y"]]}))

    assert [*table.rows[0].values()] == ["x", "y"]


def test_a_row_with_a_cell_too_few_is_refused():
    table = preview(json.dumps({"columns": ["q", "a"], "data": [["x", "y"], ["z"]]}))

    assert (table.row_count, table.error_counts) == (1, {"json_cell_count": 1})


def test_rows_inside_rows_are_read_with_the_fields_around_them():
    file = [{"id": 1, "parts": [{"id": 2, "qas": [{"id": 3, "question": "q"}]}]}, {"id": 4, "parts": []}]

    table = preview(json.dumps(file))

    assert table.rows == [{"row.id": 1, "parts.id": 2, "id": 3, "question": "q"}]
    assert {warning.code for warning in table.warnings} == {"json_nested_rows", "json_no_rows_inside"}


def test_a_chosen_list_may_lead_inside():
    file = {"a": [{"parts": [{"x": 1}, {"x": 2}]}], "b": [{"x": 3}, {"x": 4}]}

    assert [row["x"] for row in preview(json.dumps(file), rows="a[].parts[]").rows] == [1, 2]
    assert [row["x"] for row in preview(json.dumps(file), rows="b").rows] == [3, 4]
    assert refusal(json.dumps(file), "rows.json", rows="c").code == "unknown_rows"


def test_an_object_is_not_opened_beside_inputs_or_twice():
    beside = {"question": "q", "meta": {"question": "r"}}
    twice = {"a": {"question": "q"}, "b": {"question": "r"}}

    assert preview(json.dumps([beside])).columns == ["question", "meta"]
    assert preview(json.dumps([twice])).columns == ["a", "b"]
    assert preview(json.dumps([{"a": {"question": "q"}}]), opened=False).columns == ["a"]


JUDGED = {
    "judged": {
        "scores": [{"metricName": "Accuracy", "result": 1.0}, {"metricName": "Toxicity", "result": 0.1}]
    },
    "asked": {"prompt": "2+2?", "referenceResponse": "4"},
    "replies": [{"response": "Four.", "modelIdentifier": "small"}],
}


def test_the_only_answer_in_a_list_and_scores_inside_an_object_are_opened():
    table = preview(json.dumps([JUDGED, JUDGED]))

    assert table.outputs == {"response": "response"}
    assert table.roles["referenceResponse"] == "reference"
    assert table.scores == {"Accuracy": "scores.Accuracy", "Toxicity": "scores.Toxicity"}
    assert table.guesses["scores.Toxicity"].role == "low score"


def test_a_list_with_one_object_is_not_opened_beside_an_output():
    assert "replies" in preview(json.dumps([JUDGED | {"output": "4"}])).columns


def test_a_list_with_one_message_is_a_conversation():
    messages = [{"role": "assistant", "content": "Four.", "response": "4"}]

    assert "replies" in preview(json.dumps([JUDGED | {"replies": messages}])).columns
