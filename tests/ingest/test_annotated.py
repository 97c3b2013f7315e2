"""Tasks of Label Studio: what people marked is right, and each model has a column."""

import io
import json

import pytest

from evaluations import ingest
from evaluations.files.formats import Format

TEXT = "Ada met Alan in London."
BOOKKEEPING = {"total_predictions": 2, "drafts": [], "file_upload": "a.csv"}


def result(question="label", **value):
    return {"from_name": question, "to_name": "text", "value": value}


def span(start, end, label):
    return result(start=start, end=end, labels=[label])


def annotation(*results, **more):
    return {"completed_by": 1, "was_cancelled": False, "result": [*results], **more}


def prediction(number, model, *results):
    return {"id": number, "model_version": model, "score": 0.9, "result": [*results]}


def preview(*tasks):
    content = json.dumps([{"id": n, "data": {"text": TEXT}, **task} for n, task in enumerate(tasks, 1)])
    return ingest.preview(io.BytesIO(content.encode()), "project-1.json", limits=ingest.Limits())


ADA, LONDON = span(0, 3, "PER"), span(16, 22, "LOC")
PASSAGES = [
    {"label": "PER", "text": "Ada", "start": 0, "end": 3},
    {"label": "LOC", "text": "London", "start": 16, "end": 22},
]


def test_passages_become_a_column_of_people_and_one_of_each_model_whatever_their_order():
    tasks = [
        {"annotations": [annotation(ADA, LONDON)], **BOOKKEEPING}
        | {"predictions": [prediction(2, "new", ADA, LONDON), prediction(1, "old", ADA)][:: 1 - 2 * (n % 2)]}
        for n in range(6)
    ]
    seen = preview(*tasks)

    assert seen.rows[0] == {
        "id": 1,
        "text": TEXT,
        "expected label": PASSAGES,
        "old": PASSAGES[:1],
        "new": PASSAGES,
    }
    assert all(row["old"] == PASSAGES[:1] for row in seen.rows)
    assert seen.outputs == {"old": "old", "new": "new"}
    assert seen.roles["expected label"] == "reference"
    [warning] = seen.warnings
    assert (warning.code, warning.left_out) == ("tasks_of_people", (*BOOKKEEPING,))
    assert not seen.unplaced_scores + seen.likely_scores
    assert Format.from_dict(json.loads(json.dumps(seen.format.as_dict()))) == seen.format


@pytest.mark.parametrize(
    ("value", "right"),
    [
        ({"choices": ["calm"]}, "calm"),
        ({"rating": 4}, 4),
        ({"number": 2.5}, 2.5),
        ({"text": ["a summary"]}, "a summary"),
        ({"taxonomy": [["Animals", "Cat"]]}, "Animals > Cat"),
    ],
)
def test_a_single_answer_is_itself(value, right):
    answers = [result("tone", **value)]
    seen = preview(
        *({"annotations": [annotation(*answers)], "predictions": [prediction(1, "v1", *answers)]},) * 6
    )

    assert (seen.rows[0]["expected tone"], seen.rows[0]["v1"]) == (right, right)


def test_where_a_task_has_several_choices_all_have_lists_and_none_is_an_empty_one():
    choices = [["a", "b"], ["a"], []]
    tasks = [
        {
            "annotations": [annotation(result("topics", choices=["a"]))],
            "predictions": [prediction(1, "v1", *([result("topics", choices=one)] if one else []))],
        }
        for one in choices
    ]
    seen = preview(*tasks)

    assert [row["v1"] for row in seen.rows] == choices
    assert seen.rows[0]["expected topics"] == ["a"]


def test_the_answer_counts_that_most_people_or_who_is_called_the_truth_gave():
    said = [annotation(result(choices=[choice])) for choice in ("a", "b", "b")]
    given_up = annotation(result(choices=["c"]), was_cancelled=True)
    truth = annotation(result(choices=["a"]), ground_truth=True)
    predictions = {"predictions": [prediction(1, "v1", result(choices=["a"]))]}
    seen = preview(
        {"annotations": said, **predictions},
        {"annotations": [*said, truth], **predictions},
        {"annotations": [said[0], given_up, given_up], **predictions},
        {"annotations": said[:2], **predictions},
    )

    assert [row["expected label"] for row in seen.rows] == ["b", "a", "a", None]


def test_several_questions_are_one_object():
    answers = [result("tone", choices=["calm"]), result("stars", rating=3)]
    seen = preview(
        *({"annotations": [annotation(*answers)], "predictions": [prediction(1, "v1", *answers)]},) * 4
    )

    assert seen.rows[0]["v1"] == {"tone": "calm", "stars": 3}
    assert seen.rows[0]["expected"] == {"tone": "calm", "stars": 3}


def test_the_data_was_shown_whatever_its_names_are():
    task = {
        "data": {"question": "2+2?", "answer": "4"},
        "annotations": [annotation(result("stars", rating=3))],
    }
    seen = preview(
        *(task | {"predictions": [prediction(1, "judge", result("stars", rating=n % 5))]} for n in range(9))
    )

    roles = {name: guess.role for name, guess in seen.guesses.items()}
    assert (seen.roles | roles)["expected stars"] == "reference"
    assert (seen.roles | roles)["answer"] == "inputs"
