"""OpenAI Evals: evals, runs and output items of its API, in one file."""

import json

import pytest

from evaluations.ingest import FileError
from evaluations.other_tools import Figure

from .files import as_lines, content, figure, grader, lines, read


def without(kind):
    return [line for line in lines() if line["object"] != kind]


def test_every_run_becomes_a_variant_with_its_facts():
    evaluation = read(content("openai.jsonl"))

    assert [variant.name for variant in evaluation.variants] == ["short prompt", "long prompt"]
    about = evaluation.variants[0].about
    assert (about["model"], about["parameters"]) == ("gpt-4.1-nano", {"temperature": 0.0, "seed": 42})
    assert about["messages"][1]["content"]["text"] == "{{item.input}}"


def test_items_of_all_runs_are_the_same_examples():
    evaluation = read(content("openai.jsonl"))

    assert [(item.key, item.reference) for item in evaluation.items] == [
        ("1", {"ground_truth": "Markets"}),
        ("2", {"ground_truth": "Technology"}),
        ("3", {"ground_truth": "World"}),
        ("4", {"ground_truth": "Sports"}),
    ]
    outputs = [[answer.output for answer in v.repetitions[0].values()] for v in evaluation.variants]
    assert outputs[0] == ["Markets", "Technology", "world", "Sports"]
    assert evaluation.variants[0].repetitions[0][3].tokens == 6


def test_string_checks_become_evaluators_and_all_others_keep_their_scores():
    evaluation = read(content("openai.jsonl"))

    kinds = {g.name: g.formula and (g.formula.kind, g.formula.column) for g in evaluation.graders}
    assert kinds == {
        "All graders": None,
        "Category": ("exact_match", "ground_truth"),
        "Names it": ("contains", "ground_truth"),
        "Close to it": None,
        "Not sport": None,
    }
    assert evaluation.variants[0].repetitions[0][2].scores["Close to it"].value == 0.8


def test_the_summary_of_a_run_is_read():
    evaluation = read(content("openai.jsonl"))

    assert figure(evaluation, "short prompt", "Category") == Figure("short prompt", "Category", 4, None, 0.75)
    assert figure(evaluation, "long prompt", "All graders").pass_rate == 0.5


@pytest.mark.parametrize(
    "wrap",
    [
        lambda objects: json.dumps(objects, indent=2),
        lambda objects: json.dumps({"object": "list", "data": objects, "has_more": False}),
        lambda objects: json.dumps({"eval": objects[0], "runs": objects[1:3], "output_items": objects[3:]}),
    ],
    ids=["array", "page of a list", "one object"],
)
def test_the_objects_may_stand_anywhere_in_a_file(wrap):
    evaluation = read(wrap(lines()).encode())

    assert evaluation == read(content("openai.jsonl"))


def test_output_items_alone_are_enough_and_what_is_missing_is_listed():
    evaluation = read(as_lines([line for line in lines() if line["object"] == "eval.run.output_item"]))

    assert [variant.about["model"] for variant in evaluation.variants] == ["gpt-4.1-mini", "gpt-4.1-nano"]
    assert {grader.formula for grader in evaluation.graders} == {None}
    assert evaluation.figures == []
    assert len(evaluation.notes) == 3


def test_a_grader_that_is_not_reproduced_does_not_become_an_evaluator():
    objects = lines()
    category = objects[-1]["results"][0]
    category["score"], category["passed"] = 1.0 - category["score"], not category["passed"]

    evaluation = read(as_lines(objects))

    assert grader(evaluation, "Category").formula is None
    assert "Exact match gives a different score for 1 of its" in grader(evaluation, "Category").why


def test_a_string_check_of_something_else_than_the_output_keeps_its_scores():
    objects = lines()
    objects[0]["testing_criteria"][0]["input"] = "{{ item.input }}"

    assert grader(read(as_lines(objects)), "Category").formula is None


def test_a_reference_that_is_a_text_is_a_column_of_its_own():
    objects = lines()
    criterion = objects[0]["testing_criteria"][1]
    criterion |= {"reference": "The {{ item.ground_truth }}", "operation": "like"}
    for item in objects[3:]:
        item["results"][1] |= {"score": 0.0, "passed": False}

    evaluation = read(as_lines(objects))

    assert evaluation.items[0].reference == {"ground_truth": "Markets", "Names it": "The Markets"}
    assert grader(evaluation, "Names it").formula.column == "Names it"


def test_an_answer_that_failed_has_its_error():
    objects = lines()
    failed = next(item for item in objects if item["object"] == "eval.run.output_item")
    failed |= {"status": "error", "results": []}
    failed["sample"] |= {"output": [], "error": {"code": "rate_limit", "message": "Too many requests"}}

    evaluation = read(as_lines(objects))

    answers = [a for v in evaluation.variants for a in v.repetitions[0].values() if a.output is None]
    assert [(answer.error, answer.scores) for answer in answers] == [("Too many requests", {})]
    assert (grader(evaluation, "Category").formula.kind, grader(evaluation, "Category").failed) == (
        "exact_match",
        1,
    )
    assert grader(evaluation, "Names it").formula


@pytest.mark.parametrize("kind", ["eval.run.output_item"])
def test_a_file_without_answers_is_refused(kind):
    with pytest.raises(FileError) as refusal:
        read(as_lines(without(kind)))

    assert refusal.value.code == "other_tool"


def test_a_file_of_two_evals_is_refused():
    objects = lines()
    objects[-1]["eval_id"] = "eval_other"

    with pytest.raises(FileError) as refusal:
        read(as_lines(objects))

    assert "2 evals" in refusal.value.message


@pytest.mark.parametrize(
    "field", ["results", "sample", "datasource_item", "status", "datasource_item_id", "id"]
)
@pytest.mark.parametrize("value", [None, 7, "text", [], {}, [None], {"a": {"b": 1}}])
def test_odd_values_of_a_field_are_read_or_refused(field, value):
    objects = lines()
    for item in objects[3:]:
        item[field] = value

    evaluation = read(as_lines(objects))

    assert evaluation.answer_count <= 8


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": {"name": "look"}}]},
        {"type": "function_call", "name": "look", "arguments": "{}"},
    ],
)
def test_an_answer_that_calls_tools_is_not_lost(message):
    objects = lines()
    item = next(item for item in objects if item["object"] == "eval.run.output_item")
    item["sample"]["output"] = [message]

    evaluation = read(as_lines(objects))

    outputs = [a.output for variant in evaluation.variants for a in variant.repetitions[0].values()]
    assert message.get("tool_calls", [message]) in outputs


def test_an_agent_of_azure_answers_among_the_fields_of_the_source():
    """Its items have no sample, and no other status than `completed`."""
    item = {
        "object": "eval.run.output_item",
        "id": "1",
        "run_id": "run",
        "eval_id": "eval",
        "status": "completed",
        "datasource_item": {"query": "Rain?", "sample.output_text": "No.", "sample.output_items": [{}]},
        "results": [{"name": "Quality", "score": 0.8, "passed": True}, {"name": "Calm", "passed": False}],
    }

    evaluation = read(as_lines([item]))

    assert evaluation.items[0].inputs == {"query": "Rain?"}
    answer = evaluation.variants[0].repetitions[0][0]
    assert (answer.output, answer.scores["Quality"].value) == ("No.", 0.8)
    assert answer.scores["All graders"].passed is False
