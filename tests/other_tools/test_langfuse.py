"""Langfuse: dataset items, runs, traces and scores of its public API."""

import pytest

from evaluations.ingest import FileError

from .files import as_lines, content, lines, read


def objects():
    return lines("langfuse.jsonl")


def test_runs_become_variants_over_the_items():
    evaluation = read(content("langfuse.jsonl"))

    assert [(item.key, item.inputs, item.reference) for item in evaluation.items] == [
        ("item-1", {"input": "Peru?"}, {"expectedOutput": "Lima"}),
        ("item-2", {"input": "France?"}, {"expectedOutput": "Paris"}),
    ]
    assert {v.name: [a.output for a in v.repetitions[0].values()] for v in evaluation.variants} == {
        "terse": ["Lima", "Paris"],
        "wordy": ["It is Lima.", "It is Lyon."],
    }
    assert evaluation.variants[0].about["model"] == "gpt-4.1"
    assert evaluation.variants[0].repetitions[0][0].latency_ms == 800


def test_numbers_and_booleans_become_scores():
    evaluation = read(content("langfuse.jsonl"))

    assert {grader.name: grader.type for grader in evaluation.graders} == {
        "exact": "boolean",
        "brevity": "numeric",
    }
    assert evaluation.variants[1].repetitions[0][0].scores["brevity"].value == 0.33
    assert any("4 scores in words" in note for note in evaluation.notes)


def test_an_item_without_its_trace_is_listed():
    evaluation = read(as_lines(objects()[:-1]))

    assert len(evaluation.variants[1].repetitions[0]) == 1
    assert any("1 items whose traces" in note for note in evaluation.notes)


@pytest.mark.parametrize("keep", [slice(0, 3), slice(0, 2)])
def test_a_file_without_traces_is_refused(keep):
    with pytest.raises(FileError) as refusal:
        read(as_lines(objects()[keep]))

    assert refusal.value.code == "other_tool"


@pytest.mark.parametrize("field", ["input", "output", "scores", "latency"])
@pytest.mark.parametrize("value", [None, 7, "text", [], {}, [None], {"a": {"b": 1}}])
def test_odd_values_of_a_field_are_read(field, value):
    spoiled = objects()
    for trace in spoiled[3:]:
        trace[field] = value

    assert read(as_lines(spoiled)).answer_count == 4


def test_scores_alone_name_what_is_missing():
    scores = [{"id": "s", "traceId": "t", "name": "exact", "dataType": "NUMERIC", "value": 1}]

    with pytest.raises(FileError, match="neither dataset items nor traces"):
        read(as_lines(scores))
