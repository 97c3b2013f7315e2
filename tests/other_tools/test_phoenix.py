"""Phoenix: the records of its experiments."""

import json

import pytest

from evaluations.ingest import FileError

from .files import changed, content, read


def test_records_become_examples_and_repetitions():
    evaluation = read(content("phoenix.json"))

    assert [(item.inputs, item.reference) for item in evaluation.items] == [
        ({"question": "2 + 2"}, {"answer": "4"}),
        ({"question": "3 + 3"}, {"answer": "6"}),
    ]
    [variant] = evaluation.variants
    assert [[answer.output for answer in answers.values()] for answers in variant.repetitions] == [
        ["4", "7"],
        ["4", None],
    ]
    failed = variant.repetitions[1][1]
    assert (failed.error, failed.latency_ms, failed.tokens) == ("timeout", 120, 2)


def test_annotations_with_a_number_become_scores():
    evaluation = read(content("phoenix.json"))

    assert [grader.name for grader in evaluation.graders] == ["correct"]
    assert evaluation.variants[0].repetitions[0][1].scores["correct"].value == 0.0
    assert "3 annotations" in evaluation.notes[0]


def test_several_experiments_stand_under_their_names():
    both = {"short": json.loads(content("phoenix.json")), "long": json.loads(content("phoenix.json"))}

    evaluation = read(json.dumps(both).encode())

    assert [variant.name for variant in evaluation.variants] == ["short", "long"]
    assert len(evaluation.items) == 2


def test_a_record_that_lacks_a_field_is_refused():
    def cut(document):
        del document[1]["output"]

    with pytest.raises(FileError) as refusal:
        read(changed("phoenix.json", cut))

    assert refusal.value.code == "other_tool"


@pytest.mark.parametrize(
    "field", ["input", "reference_output", "output", "annotations", "error", "example_id"]
)
@pytest.mark.parametrize("value", [None, 7, "text", [], {}, [None], {"a": {"b": 1}}])
def test_odd_values_of_a_field_are_read(field, value):
    def spoil(document):
        for record in document[1:]:
            record[field] = value

    assert read(changed("phoenix.json", spoil)).answer_count <= 4


RUNS = [
    {"id": f"run-{number}", "dataset_example_id": example, "output": output, "repetition_number": number}
    | {"experiment_id": "RXhwOjE=", "error": None}
    for number, (example, output) in enumerate([("a", "4"), ("a", "5")], 1)
]
EXAMPLES = {"examples": [{"id": "a", "input": {"question": "2 + 2"}, "output": {"answer": "4"}}]}
JUDGED = {"experiment_run_id": "run-2", "name": "exact", "annotator_kind": "CODE", "result": {"score": 0.0}}


def test_runs_are_read_with_the_examples_that_they_name():
    ran = {"experiment_id": "RXhwOjE=", "task_runs": RUNS, "evaluation_runs": [{"id": "e", **JUDGED}]}

    evaluation = read(json.dumps({"dataset": {"data": EXAMPLES}, "ran": ran}).encode())

    assert [(item.inputs, item.reference) for item in evaluation.items] == [
        ({"question": "2 + 2"}, {"answer": "4"})
    ]
    [variant] = evaluation.variants
    assert [answers[0].output for answers in variant.repetitions] == ["4", "5"]
    assert variant.repetitions[1][0].scores["exact"].value == 0.0


def test_runs_without_their_examples_name_what_is_missing():
    with pytest.raises(FileError, match="lacks 1 of the examples"):
        read(json.dumps({"data": RUNS, "next_cursor": None}).encode())
