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
