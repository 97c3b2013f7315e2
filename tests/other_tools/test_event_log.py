"""Logs of the program `oaieval`: a line for each event of a sample."""

import json

import pytest

from evaluations.ingest import FileError

from .files import as_lines, figure, read

SPEC = {"spec": {"completion_fns": ["gpt-4.1-mini"], "eval_name": "quiz.dev.v0", "run_id": "r1"}}
REPORT = {"final_report": {"accuracy": 0.5, "boostrap_std": 0.1}}


def event(sample: int, type: str, **data: object) -> dict:
    return {"run_id": "r1", "event_id": 0, "sample_id": f"quiz.{sample}", "type": type, "data": data}


def sampling(sample: int, text: str) -> dict:
    return event(sample, "sampling", prompt=[{"role": "user", "content": f"q{sample}?"}], sampled=[text])


def match(sample: int, text: str, correct: bool) -> dict:
    return event(sample, "match", correct=correct, expected=["a", "A"], picked=None, sampled=text)


def log(*events: dict) -> bytes:
    return as_lines([SPEC, *events, REPORT])


def test_the_samples_of_a_log_are_the_examples():
    evaluation = read(log(sampling(2, "b"), match(2, "b", False), sampling(1, "a"), match(1, "a", True)))

    (variant,) = evaluation.variants
    assert (variant.name, [item.key for item in evaluation.items]) == ("gpt-4.1-mini", ["quiz.2", "quiz.1"])
    assert evaluation.items[0].inputs == {"prompt": [{"role": "user", "content": "q2?"}]}
    assert evaluation.items[0].reference == {"expected": ["a", "A"]}
    answers = variant.repetitions[0]
    assert [(answer.output, answer.scores["match"].passed) for answer in answers.values()] == [
        ("b", False),
        ("a", True),
    ]
    assert figure(evaluation, "gpt-4.1-mini", "match").mean == 0.5


def test_an_empty_answer_counts():
    evaluation = read(log(sampling(1, ""), match(1, "", False)))

    assert evaluation.variants[0].repetitions[0][0].output == ""


def test_the_first_sampling_is_the_answer_where_a_model_grades():
    graded = event(1, "metrics", choice="Y", score=1.0)

    evaluation = read(log(sampling(1, "the answer"), sampling(1, "Y"), graded))

    answer = evaluation.variants[0].repetitions[0][0]
    assert (answer.output, answer.scores["score"].value) == ("the answer", 1.0)


def test_samples_without_an_answer_are_named():
    notes = read(log(sampling(1, "a"), match(1, "a", True), event(2, "error", message="timeout"))).notes

    assert notes == ["1 samples have no answer, and are not imported."]


def test_a_log_without_answers_is_refused():
    with pytest.raises(FileError, match="no event with an answer"):
        read(json.dumps(SPEC).encode() + b"\n" + json.dumps(event(1, "error", message="m")).encode())
