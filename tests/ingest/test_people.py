"""What people said inside the rows that labelling tools export, as columns."""

import io
import json

import pytest

from evaluations import ingest

ROWS = 30
SUGGESTED = {"value": "left", "score": 0.7, "agent": "small"}


def seen(rows):
    content = json.dumps(rows).encode()
    return ingest.preview(io.BytesIO(content), "rows.json", limits=ingest.Limits())


def roles(preview, *names):
    guessed = {name: guess.role for name, guess in preview.guesses.items()}
    return [guessed.get(name, preview.roles[name]) for name in names]


def texts(n):
    return {"prompt": f"Reply to letter {n}", "answer2": f"Dear {n}, no.", "answer1": f"Well {n}, yes."}


def result(value, kind="pairwise"):
    return {"from_name": "comparison", "to_name": "answer1,answer2", "type": kind, "value": value}


def annotated(n):
    side = ["left", "right", "right"][n % 3]
    annotation = {"completed_by": n % 2, "result": [result({"selected": side})], "was_cancelled": False}
    return {"id": n, "annotations": [annotation], "predictions": [], "data": texts(n)}


def by_question(n):
    said = [["left", "left", "right"], ["right", "right", "left"]][n % 2]
    responses = {"better": [{"value": value, "user_id": f"u{at}"} for at, value in enumerate(said)]}
    return {"id": n, "fields": texts(n), "suggestions": {"better": SUGGESTED}, "responses": responses}


def by_person(n):
    said = [["left", "left", "right"], ["right", "right", "left"]][n % 2]
    responses = [
        {"user_id": f"u{at}", "status": "submitted", "values": {"better": {"value": value}}}
        for at, value in enumerate(said)
    ]
    return {"id": n, "fields": texts(n), "responses": responses}


def flat(n):
    said = [["answer1", "answer1", "answer2"], ["answer2"] * 3][n % 2]
    people = {"better.responses": said, "better.responses.users": ["u0", "u1", "u2"]}
    return {"id": n, **texts(n), **people, "better.responses.status": ["submitted"] * 3}


@pytest.mark.parametrize(
    ("make", "name", "values"),
    [
        (annotated, "comparison", ["answer1", "answer2", "answer2"]),
        (by_question, "better", ["left", "right", "left"]),
        (by_person, "better", ["left", "right", "left"]),
        (flat, "better.responses most", ["answer1", "answer2", "answer1"]),
    ],
)
def test_what_most_people_prefer_decides_between_the_texts_they_compared(make, name, values):
    preview = seen([make(n) for n in range(ROWS)])

    assert [row[name] for row in preview.rows[:3]] == values
    assert roles(preview, "answer1", "answer2", name) == ["output", "output", "preferred"]
    assert {preview.roles[column] for column, *_ in preview.format.said} == {"leave out"}
    assert [warning.code for warning in preview.format.warnings] == ["answers_of_people"]
    assert [source for source in preview.outputs.values() if source not in ("answer1", "answer2")] == []


def test_the_label_of_most_people_is_the_reference_of_what_was_suggested():
    labels = ["good", "bad", "so so"]
    rows = [
        {
            "fields": {"text": f"Review {n}"},
            "suggestions": {"tone": {"value": labels[n % 3 if n % 5 else 0], "agent": "small"}},
            "responses": {"tone": [{"value": labels[n % 3], "user_id": user} for user in "ab"]},
        }
        for n in range(ROWS)
    ]

    assert roles(seen(rows), "text", "tone", "tone suggested") == ["inputs", "reference", "output"]


def test_where_as_many_say_something_else_nothing_is_said():
    responses = {"tone": [{"value": "calm", "user_id": "a"}, {"value": "rude", "user_id": "b"}]}

    assert seen([{"text": "a", "responses": responses}]).rows[0]["tone"] is None


@pytest.mark.parametrize("undone", [{"was_cancelled": True}, {"status": "discarded"}])
def test_an_answer_that_was_taken_back_does_not_count(undone):
    told = [{"completed_by": at, "result": [result({"selected": "left"})]} for at in range(2)]
    rows = [{"annotations": [told[0], told[1] | undone, *(one | undone for one in told)], "text": "a"}]

    assert seen(rows).rows[0]["comparison"] == "answer1"


def test_values_that_nobody_gave_are_no_answers_of_people():
    assert seen([{"text": "a", "results": [{"name": "f1", "value": 0.5}]}]).format.said == ()


def test_lists_without_members_are_no_outputs():
    assert seen([{"prompt": "a", "predictions": []}] * 3).outputs == {}


def test_options_that_are_named_like_prompts_are_variants_of_which_one_is_accepted():
    rows = [
        {
            "text": f"letter {n}",
            "options": [{"id": f"prompt_v{at}", "text": f"Dear {n}, no {at}."} for at in (1, 2)],
            "accept": [f"prompt_v{n % 3 % 2 + 1}"] if n % 7 else [],
            "answer": "accept" if n % 7 else "ignore",
        }
        for n in range(ROWS)
    ]
    preview = seen(rows)

    assert roles(preview, "accept", "answer") == ["preferred", "metadata"]
    assert preview.outputs == {"prompt_v1": "prompt_v1", "prompt_v2": "prompt_v2"}


def test_options_with_letters_stay_the_options_of_a_question():
    options = [{"id": letter, "text": f"It is {letter}."} for letter in "AB"]
    rows = [
        {"text": f"letter {n}", "options": options, "accept": ["A" if n % 3 else "B"]} for n in range(ROWS)
    ]

    assert seen(rows).outputs == {}


def test_cells_that_name_columns_of_texts_say_which_is_better():
    rows = [
        {
            "input": f"letter {n}",
            "accept": {"text": f"Dear {n}, yes."},
            "reject": {"text": f"Well {n}, no."},
            "answer": ["accept", "reject", "accept"][n % 3],
        }
        for n in range(ROWS)
    ]

    assert roles(seen(rows), "accept.text", "reject.text", "answer") == ["output", "output", "preferred"]


def sided(n, votes, models=("v1", "v2")):
    texts = [f"Dear {n}, {model} says no." for model in models][:: 1 - 2 * (n % 2)]
    names = [*models][:: 1 - 2 * (n % 2)]
    told = [result({"selected": side}) | {"to_name": "reply_left,reply_right"} for side in votes]
    data = {"reply_left": texts[0], "reply_right": texts[1], "model_left": names[0], "model_right": names[1]}
    annotations = [{"completed_by": at, "result": [one]} for at, one in enumerate(told)]
    return {"id": n, "annotations": annotations, "predictions": [], "data": {"source": f"Letter {n}"} | data}


def test_votes_for_sides_are_those_for_models_that_change_sides_inside_tasks():
    preview = seen([sided(n, [["left"], ["right"], ["left", "right"]][n % 3]) for n in range(ROWS)])

    assert preview.outputs == {"v1": "v1", "v2": "v2"}
    assert roles(preview, "source", "v1", "comparison") == ["inputs", "output", "preferred"]
    assert [row["comparison"] for row in preview.rows[:4]] == ["v1", "v1", "v1 = v2", "v2"]


def test_tasks_of_the_same_texts_on_the_same_sides_are_no_models_that_change_them():
    rows = [sided(n - n % 2, ["left"]) for n in range(ROWS)]

    assert not seen(rows).format.sides
