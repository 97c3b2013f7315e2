"""Nothing of a file vanishes unnamed: everything is read, left out by name, or asked about."""

import io
import json
from typing import Any

import pytest
import xlsxwriter

from evaluations.models import Dataset, Label, Output, Run
from tests import factories

from .conftest import import_all

pytestmark = pytest.mark.django_db


def created(writer: Any, file: bytes, filename: str, **fields: Any) -> dict[str, Any]:
    """The dataset after its import."""
    answer = writer.upload("datasets/", file, filename, **{"name": "d"} | fields)
    assert answer.status_code == 202, answer.content
    import_all()
    dataset = writer.get(f"datasets/{answer.json()['id']}/").json()
    assert dataset["status"] == "ready", dataset["errors"]
    return dataset


def examples(writer: Any, dataset: dict[str, Any]) -> list[dict[str, Any]]:
    return writer.get(f"datasets/{dataset['id']}/examples/?page_size=100").json()["results"]


def codes(dataset: dict[str, Any]) -> set[str]:
    return {warning["code"] for warning in dataset["warnings"]}


def runs_of(dataset: dict[str, Any]) -> list[Run]:
    return list(Run.objects.filter(experiment__dataset=dataset["id"]).order_by("pk"))


def scores_of(run: Run, name: str) -> list[float]:
    outputs = Output.objects.filter(run=run).order_by("position")
    return [output.scores[name] for output in outputs]


def jsonl(*rows: dict[str, Any]) -> bytes:
    return factories.jsonl(*rows).encode()


# ---- shapes ------------------------------------------------------------------------------------------------

WRAPPED = {
    "features": [{"name": "id", "type": {}}, {"name": "question", "type": {}}],
    "rows": [
        {
            "row_idx": n,
            "row": {"id": f"q{n}", "question": f"{n}+1?", "answer": f"{n + 1}", "output": "1"},
            "cells": [],
        }
        for n in range(3)
    ],
    "num_rows_total": 3,
}


def test_the_rows_of_a_dataset_viewer_are_examples_with_all_their_fields(writer):
    dataset = created(writer, json.dumps(WRAPPED).encode(), "rows.json")

    assert dataset["columns"] == {
        "inputs": ["question"],
        "reference": ["answer"],
        "metadata": ["row_idx", "cells"],
    }
    assert examples(writer, dataset)[2] == {
        "position": 3,
        "key": "q2",
        "inputs": {"question": "2+1?"},
        "reference": {"answer": "3"},
        "metadata": {"row_idx": 2, "cells": []},
    }
    assert dataset["left_out"] == ["features", "num_rows_total"]
    assert [run.variant for run in runs_of(dataset)] == ["output"]


RECORDS = [
    {"id": f"r{n}", "fields": {"prompt": f"p{n}", "response": f"a{n}", "source": "unit"}, "status": "done"}
    for n in range(3)
]


def test_the_fields_beside_an_output_inside_an_object_are_kept(writer):
    dataset = created(writer, json.dumps(RECORDS).encode(), "records.json")

    assert examples(writer, dataset)[0]["inputs"] == {"prompt": "p0"}
    assert examples(writer, dataset)[0]["metadata"] == {"source": "unit", "status": "done"}
    assert [output.text for output in Output.objects.order_by("position")] == ["a0", "a1", "a2"]


def test_fields_that_appear_late_in_the_file_are_kept_as_well(writer):
    rows = [{"fields": {"prompt": f"p{n}"}} for n in range(300)] + [{"fields": {"prompt": "last", "late": 1}}]

    dataset = created(writer, jsonl(*rows), "late.jsonl")

    assert dataset["columns"]["metadata"] == ["late"]


def test_a_mapping_may_still_name_an_object_as_one_column(writer):
    mapping = {"inputs": ["fields"], "outputs": {"v": "$.fields.response"}}

    dataset = created(writer, json.dumps(RECORDS).encode(), "records.json", mapping=mapping)

    assert examples(writer, dataset)[0]["inputs"] == {"fields": RECORDS[0]["fields"]}
    assert dataset["left_out"] == ["id", "status"]


def test_fields_beside_a_mapped_path_are_named(writer):
    mapping = {"inputs": ["id"], "outputs": {"v": "$.fields.response"}}

    dataset = created(writer, json.dumps(RECORDS).encode(), "records.json", mapping=mapping)

    assert dataset["left_out"] == ["status", "fields.prompt", "fields.source"]
    assert "columns_left_out" in codes(dataset)


def test_the_outputs_of_a_langsmith_dataset_are_the_reference(writer):
    rows = [
        {"inputs": {"q": f"{n}"}, "outputs": {"a": f"{n}{n}"}, "metadata": {"split": "base"}}
        for n in range(3)
    ]

    dataset = created(writer, jsonl(*rows), "examples.jsonl")

    assert dataset["columns"] == {"inputs": ["q"], "reference": ["a"], "metadata": ["split"]}
    assert dataset["experiment"] is None


def test_the_outputs_of_a_langsmith_experiment_are_outputs(writer):
    header = "inputs.q,outputs.a,reference.a,feedback.correct,error,execution_time,id\n"
    dataset = created(writer, f"{header}1+1,2,2,1.0,,0.5,x\n2+2,5,4,0.0,,0.5,y\n".encode(), "experiment.csv")

    (run,) = runs_of(dataset)
    assert (dataset["columns"]["inputs"], dataset["columns"]["reference"]) == (["q"], ["a"])
    assert scores_of(run, "correct") == ["1.0", "0.0"]
    assert "scores_recognised" in codes(dataset)


@pytest.mark.parametrize("header", ["input_question,output_answer", "inputs.question,outputs.answer"])
def test_prefixes_tell_inputs_from_right_outputs(writer, header):
    dataset = created(writer, f"{header}\n1+1,2\n2+2,4\n".encode(), "examples.csv")

    assert dataset["experiment"] is None
    assert examples(writer, dataset)[1]["inputs"] in ({"input_question": "2+2"}, {"question": "2+2"})
    assert [*examples(writer, dataset)[1]["reference"].values()] == ["4"]


SPLIT = {"columns": ["inputs", "ground_truth", "outputs", "exact/v1/score"], "index": [0, 1]}


def test_a_table_of_names_and_cells_is_read(writer):
    table = SPLIT | {"data": [["A?", "one", "one", 1], ["B?", "two", "six", 0]]}

    dataset = created(writer, json.dumps(table).encode(), "table.json")

    (run,) = runs_of(dataset)
    assert examples(writer, dataset)[0]["reference"] == {"ground_truth": "one"}
    assert scores_of(run, "exact/v1") == [1, 0]
    assert dataset["left_out"] == ["index"]


def test_a_row_of_a_table_with_a_cell_too_few_is_refused(writer):
    table = SPLIT | {"data": [["A?", "one", "one", 1], ["B?", "two"]]}

    writer.upload("datasets/", json.dumps(table).encode(), "table.json", name="d")
    import_all()

    error = Dataset.objects.get().errors[0]
    assert (error["code"], error["message"]) == (
        "json_cell_count",
        "Line 1: 2 cells where there are 4 names.",
    )


NESTED = {
    "version": "1.1",
    "data": [
        {
            "title": "Foxes",
            "paragraphs": [
                {
                    "context": "It ran.",
                    "qas": [{"id": "a1", "question": "Who?"}, {"id": "a2", "question": "How?"}],
                },
                {"context": "It slept.", "qas": [{"id": "a3", "question": "Then?"}]},
            ],
        }
    ],
}


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("titles", [1, 3])
def test_rows_inside_other_rows_are_examples(writer, indent, titles):
    file = NESTED | {"data": [NESTED["data"][0] | {"title": f"t{n}"} for n in range(titles)]}

    dataset = created(writer, json.dumps(file, indent=indent).encode(), "squad.json", on_error="skip")

    rows = examples(writer, dataset)
    assert len(rows) == 3 * titles
    assert rows[2]["inputs"] == {"question": "Then?"}
    assert rows[2]["metadata"]["context"] == "It slept."
    assert "json_nested_rows" in codes(dataset)
    assert dataset["left_out"] == ["version"]


def test_the_outer_rows_can_be_chosen(writer):
    dataset = created(writer, json.dumps(NESTED).encode(), "squad.json", rows="data")

    assert examples(writer, dataset)[0]["metadata"]["title"] == "Foxes"
    assert dataset["example_count"] == 1


def test_objects_without_rows_inside_are_named(writer):
    file = {"data": [*NESTED["data"], {"title": "Empty", "paragraphs": []}]}

    dataset = created(writer, json.dumps(file).encode(), "squad.json")

    assert "json_no_rows_inside" in codes(dataset)


LISTS = {"left": [{"question": "a"}, {"question": "b"}], "right": [{"question": "c"}, {"question": "d"}]}


def test_which_list_has_the_rows_is_asked(writer):
    file = json.dumps(LISTS).encode()

    refused = writer.upload("datasets/", file, "lists.json", name="d")
    asked = writer.upload("datasets/", file, "lists.json", name="d", ask="true")

    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "json_not_an_array")
    assert (asked.status_code, asked.json()["error"]["code"]) == (409, "choice_needed")
    assert asked.json()["error"]["choices"][0]["values"] == ["left", "right"]
    dataset = created(writer, file, "lists.json", rows="right")
    assert [row["inputs"]["question"] for row in examples(writer, dataset)] == ["c", "d"]
    assert dataset["left_out"] == ["left"]


def test_a_list_that_the_object_lacks_is_refused_with_those_it_has(writer):
    refused = writer.upload("datasets/", json.dumps(LISTS).encode(), "lists.json", name="d", rows="up")

    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "unknown_rows")
    assert "“right”" in refused.json()["error"]["message"]


# ---- formats -----------------------------------------------------------------------------------------------


def test_a_file_without_a_header_is_read_by_the_api(writer):
    dataset = created(writer, b"1+1?;2;B\n2+2?;4;B\n", "rows.csv", header="false", delimiter="semicolon")

    assert dataset["columns"]["metadata"] == ["column_1", "column_2", "column_3"]
    assert dataset["example_count"] == 2


def test_the_encoding_is_chosen(writer):
    dataset = created(writer, "question,answer\nGröße?,ß\n".encode("cp1252"), "rows.csv", encoding="cp1252")

    assert examples(writer, dataset)[0]["inputs"] == {"question": "Größe?"}


@pytest.mark.parametrize(("escape", "answer"), [("backslash", 'a"b'), ("", 'a"b')])
def test_quotes_after_a_backslash_are_read(writer, escape, answer):
    fields = {"escape": escape} if escape else {}
    dataset = created(
        writer, b'question,answer\n"say \\"hi\\", ok","a\\"b"\nC:\\\\x,\\d\n', "rows.csv", **fields
    )

    rows = examples(writer, dataset)
    assert (rows[0]["inputs"]["question"], rows[0]["reference"]["answer"]) == ('say "hi", ok', answer)
    assert (rows[1]["inputs"]["question"], rows[1]["reference"]["answer"]) == ("C:\\\\x", "\\d")


def test_scores_with_a_decimal_comma_are_read(writer):
    mapping = {"inputs": ["q"], "outputs": {"v": "a"}, "scores": {"s": "z"}}

    created(writer, b'q;a;z\n1;2;"1.234,5"\n', "rows.csv", mapping=mapping, decimal="comma")

    assert Output.objects.get().scores == {"s": "1234.5"}


def workbook(**sheets: list[list[Any]]) -> bytes:
    file = io.BytesIO()
    with xlsxwriter.Workbook(file, {"strings_to_formulas": False}) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for number, row in enumerate(rows):
                for column, cell in enumerate(row):
                    (sheet.write_string if isinstance(cell, str) else sheet.write)(number, column, cell)
    return file.getvalue()


BOOK = {
    "first": [["id", "question"], ["007", "a\nb"]],
    "second": [["id", "question"], ["008", "c"], ["009", "d"]],
}


@pytest.mark.long
def test_the_sheet_of_a_workbook_is_chosen_or_asked_for(writer):
    file = workbook(**BOOK)

    asked = writer.upload("datasets/", file, "book.xlsx", name="d", ask="true")
    default = created(writer, file, "book.xlsx")
    chosen = created(writer, file, "book.xlsx", sheet="second", name="e")

    assert asked.json()["error"]["choices"] == [
        {
            "field": "sheet",
            "question": "Which sheet has the rows?",
            "values": ["first", "second"],
            "default": "first",
        }
    ]
    assert [(row["key"], row["inputs"]["question"]) for row in examples(writer, default)] == [("007", "a\nb")]
    assert "several_sheets" in codes(default)
    assert [row["key"] for row in examples(writer, chosen)] == ["008", "009"]
    unknown = writer.upload("datasets/", file, "book.xlsx", name="f", sheet="third")
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (400, "unknown_sheet")


@pytest.mark.parametrize("path", ["datasets/preview/", "datasets/{}/upload/", "runs/", "runs/preview/"])
def test_every_door_takes_the_format(writer, project, path):
    experiment = factories.experiment(project)
    fields = {"datasets/{}/upload/": {"mode": "append", "mapping": {"inputs": ["column_1"]}}}.get(path, {})
    if path.startswith("runs/"):
        fields = {"experiment": str(experiment.pk), "mapping": {"output": "column_1"}}
        fields |= {"variant": "v"} if path == "runs/" else {}

    answer = writer.upload(
        path.format(experiment.dataset_id),
        b"a|b\n",
        "x.csv",
        header="false",
        delimiter="|",
        encoding="utf-8",
        **fields,
    )

    assert answer.status_code in (200, 202), answer.content


# ---- several rows for each example -------------------------------------------------------------------------

SAMPLES = [
    {"task_id": f"t{n}", "prompt": f"p{n}", "completion": f"c{n}{k}", "passed": k > n}
    for k in range(3)
    for n in range(2)
]
RATED = (
    b"row,annotator,id,label,text\n1,ann,1,good,soup\n2,bob,1,bad,soup\n3,ann,2,bad,rice\n4,bob,2,bad,rice\n"
)


def test_repeated_rows_are_asked_about_or_warned_of(writer):
    asked = writer.upload("datasets/", jsonl(*SAMPLES), "samples.jsonl", name="d", ask="true")
    default = created(writer, jsonl(*SAMPLES), "samples.jsonl")

    (choice,) = asked.json()["error"]["choices"]
    assert (asked.status_code, choice["field"]) == (409, "long")
    assert {"id": "task_id"} in choice["values"]
    assert default["example_count"] == 6
    assert {"rows_repeat", "key_not_unique"} <= codes(default)


def test_samples_become_repetitions_in_their_order(writer):
    dataset = created(writer, jsonl(*SAMPLES), "samples.jsonl", long={"id": "task_id"})

    runs = runs_of(dataset)
    assert dataset["example_count"] == 2
    assert [(run.variant, run.about, run.output_count) for run in runs] == [
        ("completion", {"order": str(number)}, 2) for number in (1, 2, 3)
    ]
    assert [output.text for output in runs[1].outputs.order_by("position")] == ["c01", "c11"]
    assert dataset["left_out"] == ["passed"]


def test_rows_of_raters_become_their_labels(writer):
    dataset = created(writer, RATED, "rated.csv", long={"id": "id", "rater": "annotator"})

    run = runs_of(dataset)[0]
    labels = Label.objects.order_by("item__example", "rater__number")
    said = [(label.item.example, label.rater.name, label.answer) for label in labels]
    assert (dataset["example_count"], run.variant, run.output_count) == (2, "text", 2)
    assert said == [(1, "ann", "good"), (1, "bob", "bad"), (2, "ann", "bad"), (2, "bob", "bad")]
    assert labels[0].version.evaluator.name == "label"
    assert "rows_as_labels" in codes(dataset)
    assert dataset["left_out"] == ["row"]


def test_raters_are_offered(writer):
    answer = writer.upload("datasets/preview/", RATED, "rated.csv").json()["table"]

    assert answer["choices"][0]["values"][0] == {"id": "id", "rater": "annotator", "label": "label"}


def test_people_who_wrote_answers_are_offered_as_repetitions(writer):
    rows = [
        {"id": n, "annotator": who, "text": f"{who} writes {n}, at length"} for n in (1, 2) for who in "ab"
    ]

    answer = writer.upload("datasets/preview/", jsonl(*rows), "written.jsonl").json()["table"]

    assert answer["choices"][0]["values"][0] == {"id": "id", "repetition": "annotator"}


def test_a_column_names_the_variants(writer):
    rows = [
        {"item": n, "system": s, "question": f"q{n}", "output": f"{s}{n}"} for s in "ab" for n in range(3)
    ]

    dataset = created(writer, jsonl(*rows), "systems.jsonl", long={"id": "item", "variant": "system"})

    assert dataset["example_count"] == 3
    assert sorted(run.variant for run in runs_of(dataset)) == ["a", "b"]


@pytest.mark.parametrize(
    "long",
    [
        {"variant": "annotator"},
        {"id": "nothing"},
        {"id": "id", "rater": "annotator", "variant": "text"},
        {"x": "id"},
    ],
)
def test_an_impossible_long_table_is_refused(writer, long):
    answer = writer.upload("datasets/", RATED, "rated.csv", name="d", long=long)

    assert answer.status_code == 400
    assert answer.json()["error"]["code"] in ("invalid_mapping", "missing_column")


def test_outputs_without_inputs_or_reference_are_warned_of_and_asked_about(writer):
    rows = jsonl({"name": "a", "output": "x"}, {"name": "b", "output": "y"})

    asked = writer.upload("datasets/", rows, "rows.jsonl", name="d", ask="true")

    assert [choice["field"] for choice in asked.json()["error"]["choices"]] == ["mapping"]
    assert "no_roles" in codes(created(writer, rows, "rows.jsonl"))


def test_a_plain_file_asks_nothing(writer):
    created(writer, b"question,answer\n1+1,2\n", "rows.csv", ask="true")


# ---- scores ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "name", "score"),
    [
        ({"scores": {"Levenshtein": 0.5}}, "Levenshtein", 0.5),
        ({"feedback_scores": {"tone": 1}}, "tone", 1),
        ({"exact/value": 1}, "exact", 1),
        ({"my_score": 0.25}, "my_score", 0.25),
        ({"faithfulness": 0.75}, "faithfulness", 0.75),
        ({"feedback.correct": True}, "correct", True),
    ],
)
def test_scores_of_a_tool_become_outside_scores_with_a_warning(writer, row, name, score):
    dataset = created(writer, jsonl({"input": "q", "output": "a", "expected": "a"} | row), "rows.jsonl")

    (run,) = runs_of(dataset)
    assert scores_of(run, name) == [score]
    assert "scores_recognised" in codes(dataset)


def test_scores_without_a_single_output_stay_metadata_and_are_named(writer):
    row = {"input": "q", "output_a": "x", "output_b": "y", "my_score": 0.5}

    dataset = created(writer, jsonl(row), "rows.jsonl")

    assert dataset["columns"]["metadata"] == ["my_score"]
    assert "scores_without_output" in codes(dataset)


# ---- outputs sent as JSON ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "second", [{"key": "k1", "output": "no"}, {"position": 1, "output": "no"}], ids=["by key", "by position"]
)
def test_two_outputs_for_one_example_in_a_body_are_refused(writer, project, second):
    experiment = factories.experiment(project)
    key = experiment.examples.get(position=1).key
    second = second | ({"key": key} if "key" in second else {})
    outputs = [{"key": key, "output": "yes"}, second]

    answer = writer.post("runs/", {"experiment": experiment.pk, "variant": "k", "outputs": outputs})

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "duplicate_output")
    assert answer.json()["error"]["where"]["output"] == 2
    assert not Run.objects.filter(variant="k").exists()
