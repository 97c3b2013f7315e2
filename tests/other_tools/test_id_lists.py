"""Reports of lists of ids, as SWE-bench writes them."""

import json

import pytest

from evaluations.ingest import FileError

from .files import figure, read


def report(**lists: object) -> bytes:
    ids = {
        "completed_ids": ["a-1", "a-2"],
        "submitted_ids": ["a-1", "a-2", "a-3"],
        "incomplete_ids": ["a-4"],
        "resolved_ids": ["a-2"],
        "empty_patch_ids": ["a-3"],
    }
    return json.dumps({"total_instances": 4, "resolved_instances": 1, **ids, **lists}).encode()


def test_what_was_submitted_are_the_examples():
    evaluation = read(report())

    assert [(item.key, item.inputs) for item in evaluation.items] == [
        ("a-1", {"id": "a-1"}),
        ("a-2", {"id": "a-2"}),
        ("a-3", {"id": "a-3"}),
    ]
    answers = evaluation.variants[0].repetitions[0].values()
    assert [answer.output for answer in answers] == ["completed", "completed, resolved", "empty patch"]
    assert [answer.scores["resolved"].passed for answer in answers] == [False, True, False]
    assert figure(evaluation, "none", "resolved").mean == pytest.approx(1 / 3)


def test_it_says_that_there_are_no_answers():
    notes = read(report()).notes

    assert "no answers" in notes[0]
    assert "1 ids that were not submitted are not imported." in notes


def test_a_report_of_nothing_is_refused():
    with pytest.raises(FileError, match="says what is right"):
        read(json.dumps({"submitted_ids": [], "resolved_ids": []}).encode())
