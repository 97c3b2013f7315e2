"""Exports as CSV, JSON Lines, YAML and other formats, with the same results as JSON."""

import csv
import io
import json

import pytest
import yaml

from evaluations import other_tools
from evaluations.ingest import FileError
from evaluations.other_tools import tables

from .files import as_lines, content, figure, grader, read

HEADER = ["Description", "question", "expected"]
OF_PROMPT = ["Status", "Score", "Named Scores", "Metric: tone", "Grader Reason", "Comment"]


def as_csv(*rows: list[object]) -> bytes:
    file = io.StringIO()
    csv.writer(file).writerows(rows)
    return file.getvalue().encode()


PROMPTFOO_CSV = as_csv(
    [*HEADER, "[openai:gpt-4.1] Answer: {{question}}", *OF_PROMPT, "[openai:gpt-4.1-mini] short", *OF_PROMPT],
    [
        *("town", "Capital of Peru?", "Lima"),
        *("Lima", "PASS", "1.00", '{"tone":0.9}', "0.90", "All assertions passed", ""),
        *("Cusco,\nmaybe", "FAIL", "0.25", '{"tone":0.5}', "0.50", "Expected Lima", "wrong"),
    ],
    [
        *("sum", "2 + 2", "4"),
        *("'=4", "PASS", "1.00", '{"tone":0.8}', "0.80", "All assertions passed", ""),
        *("", "ERROR", "0.00", "", "", "API error: 429", ""),
    ],
)


def answers(evaluation):
    return {
        v.name: [(a.output, a.error) for r in v.repetitions for a in r.values()] for v in evaluation.variants
    }


def test_promptfoo_csv_has_a_variant_for_each_column_of_outputs():
    evaluation = read(PROMPTFOO_CSV)

    assert answers(evaluation) == {
        "prompt 1, openai:gpt-4.1": [("Lima", None), ("=4", None)],
        "short, openai:gpt-4.1-mini": [("Cusco,\nmaybe", None), (None, "API error: 429")],
    }
    assert evaluation.items[0].inputs == {"question": "Capital of Peru?"}
    assert evaluation.items[0].reference == {"expected": "Lima"}
    assert evaluation.items[0].metadata == {"description": "town"}


def test_promptfoo_csv_keeps_verdicts_and_named_scores():
    first, second = read(PROMPTFOO_CSV).variants

    verdicts = [
        (a.scores["All assertions"].passed, a.scores["tone"].value) for a in first.repetitions[0].values()
    ]
    assert verdicts == [(True, 0.9), (True, 0.8)]
    assert second.repetitions[0][0].scores["All assertions"].passed is False
    failed = second.repetitions[0][1].scores
    assert {name: score.passed for name, score in failed.items()} == {
        "All assertions": False,
        "Score of all assertions": False,
    }


def test_older_promptfoo_csv_has_the_verdict_in_the_cell():
    exported = as_csv(
        ["question", "[openai:gpt-4] {{question}}", "[openai:gpt-3.5] {{question}}"],
        ["2 + 2", "[PASS] (1.00, tone: 0.50)\n\n4\n\nPass Reason: fine", "[FAIL] (0.00)\n\nfive: 5"],
    )

    evaluation = read(exported)

    assert answers(evaluation) == {"openai:gpt-4": [("4", None)], "openai:gpt-3.5": [("five: 5", None)]}
    assert evaluation.variants[0].repetitions[0][0].scores["tone"].value == 0.5


def test_promptfoo_json_lines_have_the_answers_of_the_json():
    whole = json.loads(content("promptfoo_v3.json"))
    evaluation = read(as_lines(whole["results"]["results"]))

    of_json = read(content("promptfoo_v3.json"))
    assert [v.repetitions for v in evaluation.variants] == [v.repetitions for v in of_json.variants]
    assert evaluation.figures == []
    assert any("no summary" in note for note in evaluation.notes)


def test_promptfoo_yaml_equals_the_json():
    whole = json.loads(content("promptfoo_v3.json"))

    evaluation = read(yaml.safe_dump(whole, sort_keys=False).encode())

    assert evaluation == read(content("promptfoo_v3.json"))


def test_the_table_of_promptfoos_viewer_is_read():
    table = {
        "head": {"prompts": [{"raw": "{{q}}", "label": "{{q}}", "provider": "a:b"}], "vars": ["q"]},
        "body": [
            {"vars": ["x"], "test": {}, "outputs": [{"text": "y", "pass": True, "score": 1, "latencyMs": 5}]},
            {"vars": ["z"], "test": {}, "outputs": [{"text": "500", "pass": False, "failureReason": 2}]},
        ],
    }

    evaluation = read(json.dumps(table).encode())

    assert answers(evaluation) == {"a:b": [("y", None), (None, "500")]}
    assert [item.inputs for item in evaluation.items] == [{"q": "x"}, {"q": "z"}]


PHOENIX_CSV = as_csv(
    [
        *("example_id", "repetition_number", "input", "reference_output", "output", "error", "latency_ms"),
        *("completion_token_count", "annotation_correct_label", "annotation_correct_score"),
    ],
    ["e1", "1", '{"question": "2 + 2"}', '{"answer": "4"}', "4", "", "120.4", "2.0", "yes", "1.0"],
    ["e1", "2", '{"question": "2 + 2"}', '{"answer": "4"}', '{"text": "four"}', "", "80", "3.0", "no", "0.0"],
    ["e2", "1", '{"question": "3 + 3"}', '{"answer": "6"}', "", "timeout", "", "", "", ""],
)


def test_phoenix_csv_is_read_with_errors_scores_and_references():
    evaluation = read(PHOENIX_CSV)

    [variant] = evaluation.variants
    assert [[a.output for a in r.values()] for r in variant.repetitions] == [["4", None], [{"text": "four"}]]
    assert variant.repetitions[0][1].error == "timeout"
    assert (variant.repetitions[0][0].latency_ms, variant.repetitions[0][0].tokens) == (120, 2)
    assert variant.repetitions[1][0].scores["correct"].value == 0.0
    assert evaluation.items[1].reference == {"answer": "6"}


@pytest.mark.parametrize(
    "header",
    [
        ["example_id", "input_question", "output_answer", "metadata_topic"],
        ["node_id", "input.question", "output.answer", "metadata.topic"],
    ],
)
def test_a_dataset_of_phoenix_becomes_examples(header):
    evaluation = read(as_csv(header, ["e1", "2 + 2", "4", "sums"]))

    [item] = evaluation.items
    assert (item.key, item.inputs, item.reference, item.metadata) == (
        *("e1", {"question": "2 + 2"}, {"answer": "4"}),
        {"topic": "sums"},
    )
    assert evaluation.variants == []


def test_the_examples_that_phoenix_answers_with_become_a_dataset():
    example = {"id": "e1", "input": {"question": "2 + 2"}, "output": {"answer": "4"}, "metadata": {}}
    listed = {"data": {"dataset_id": "d", "version_id": "v", "examples": [example]}}

    assert read(json.dumps(listed).encode()).items[0].reference == {"answer": "4"}


def langfuse_items() -> list[dict[str, object]]:
    fields = {"datasetId": "d", "datasetName": "towns", "status": "ACTIVE", "metadata": {"n": 1}}
    return [
        fields | {"id": "i1", "input": {"q": "Peru?"}, "expectedOutput": "Lima"},
        fields | {"id": "i2", "input": "2 + 2", "expectedOutput": "4"},
    ]


def langfuse_table(rows: list[dict[str, object]]) -> bytes:
    """Texts unchanged, everything else as JSON, like Langfuse's tables."""
    cells = [[v if isinstance(v, str) else json.dumps(v) for v in row.values()] for row in rows]
    return as_csv(list(rows[0]), *cells)


@pytest.mark.parametrize("form", [json.dumps, as_lines, langfuse_table])
def test_items_of_langfuse_alone_become_a_dataset(form):
    exported = form(langfuse_items())

    evaluation = read(exported if isinstance(exported, bytes) else exported.encode())

    assert [(item.key, item.inputs, item.reference) for item in evaluation.items] == [
        ("i1", {"q": "Peru?"}, {"expectedOutput": "Lima"}),
        ("i2", {"input": "2 + 2"}, {"expectedOutput": "4"}),
    ]
    assert evaluation.variants == []


def langfuse_traces() -> list[dict[str, object]]:
    fields = {
        "timestamp": "2026-10-01T10:00:00Z",
        "name": "chat",
        "sessionId": None,
        "latency": 0.5,
        "tags": [],
    }
    return [
        fields | {"id": "t1", "input": "Peru?", "output": "Lima", "my_score": [0.5, 1.0], "mood": ["calm"]},
        fields | {"id": "t2", "input": "2 + 2", "output": "5", "my_score": [0], "mood": None},
    ]


@pytest.mark.parametrize("form", [json.dumps, as_lines, langfuse_table])
def test_traces_of_langfuse_alone_are_the_answers_of_one_variant(form):
    exported = form(langfuse_traces())

    evaluation = read(exported if isinstance(exported, bytes) else exported.encode())

    assert answers(evaluation) == {"traces": [("Lima", None), ("5", None)]}
    [first, second] = evaluation.variants[0].repetitions[0].values()
    assert (first.latency_ms, first.scores["my_score"].value, second.scores["my_score"].value) == (
        500,
        0.75,
        0,
    )


def test_items_of_runs_that_stand_alone_find_their_run():
    run, trace_fields = json.loads(content("langfuse.jsonl").splitlines()[0]), content("langfuse.jsonl")
    further_rows = [json.loads(line) for line in trace_fields.splitlines()[2:]]

    evaluation = read(as_lines([*run["datasetRunItems"], *further_rows]))

    assert answers(evaluation) == {"terse": [("Lima", None), ("Paris", None)]}


def test_names_with_underscores_are_those_of_pythons_client():
    item = {
        "id": "i",
        "dataset_id": "d",
        "expected_output": "Lima",
        "input": "Peru?",
        "source_trace_id": None,
    }

    assert read(as_lines([item, item | {"id": "j"}])).items[0].reference == {"expectedOutput": "Lima"}


def test_a_data_source_of_openai_becomes_a_dataset_with_its_samples():
    sample = {"model": "gpt-4.1", "output_text": "Lima", "temperature": 0}
    lines = [
        {"item": {"q": "Peru?", "ideal": "Lima"}, "sample": sample},
        {"item": {"q": "2 + 2", "ideal": "4"}},
    ]

    evaluation = read(as_lines(lines))

    assert [(item.inputs, item.reference) for item in evaluation.items] == [
        ({"q": "Peru?"}, {"ideal": "Lima"}),
        ({"q": "2 + 2"}, {"ideal": "4"}),
    ]
    assert answers(evaluation) == {"gpt-4.1": [("Lima", None)]}
    assert evaluation.variants[0].about == {"model": "gpt-4.1", "parameters": {"temperature": 0}}


def test_output_items_without_the_field_object_are_known_by_their_fields():
    objects = [json.loads(line) for line in content("openai.jsonl").splitlines()]
    for record in objects:
        del record["object"]

    assert read(as_lines(objects)) == read(content("openai.jsonl"))


def test_pages_of_lists_equal_the_lines():
    objects = [json.loads(line) for line in content("openai.jsonl").splitlines()]
    pages = [
        {"object": "list", "data": objects[n : n + 4], "has_more": n < 8} for n in range(0, len(objects), 4)
    ]

    assert read(json.dumps(pages).encode()) == read(content("openai.jsonl"))


def test_the_fields_of_an_inspect_log_may_stand_in_any_order():
    log = json.loads(content("inspect.json"))

    assert read(json.dumps(dict(reversed(log.items()))).encode()) == read(content("inspect.json"))


@pytest.mark.parametrize(
    "table",
    [
        b"question,answer\n1,2\n",
        b"id,input,output\n1,2,3\n",
        b"Status,Score\nok,1\n",
        b'{"id": 1, "input": "a", "output": "b", "timestamp": 5}\n{"id": 2, "input": "a"}\n',
        b'{"item": "spoon", "price": 5}\n{"item": "fork", "price": 6}\n',
        b"prompts: of a poem\nno: yaml\n",
    ],
)
def test_tables_of_nobody_stay_tables(table):
    assert other_tools.recognise(io.BytesIO(table)) == ""


def outcome(exported: bytes) -> str:
    """The result of recognition: the tool, "table", or the code of a refusal."""
    file = io.BytesIO(exported)
    shape = other_tools.recognise(file)
    try:
        return other_tools.read(file, shape).tool if shape else "table"
    except FileError as refusal:
        return refusal.code


@pytest.mark.parametrize(
    ("exported", "tool"),
    [
        (PROMPTFOO_CSV, "promptfoo"),
        (PHOENIX_CSV, "Phoenix"),
        (langfuse_table(langfuse_traces()), "Langfuse"),
    ],
)
def test_a_table_that_is_cut_anywhere_is_read_or_refused(exported, tool):
    outcomes = {outcome(exported[:end]) for end in range(len(exported))}

    assert outcomes <= {"table", tool, "other_tool", "csv_quotes"}


def test_figures_of_csv_are_none():
    with pytest.raises(ValueError, match="not enough values"):
        figure(read(PROMPTFOO_CSV), "short, openai:gpt-4.1-mini", "All assertions")
    assert grader(read(PROMPTFOO_CSV), "tone").formula is None


def test_a_tool_is_looked_for_among_the_first_columns_only():
    assert len(tables.header(b"input_a," * 50_000)) == tables.MOST_COLUMNS
