"""Conversations whose last message is the right answer, as in files for fine-tuning."""

import io
import json

import pytest

from evaluations import ingest


def preview(*rows):
    content = "\n".join(map(json.dumps, rows)).encode()
    return ingest.preview(io.BytesIO(content), "answers.jsonl", limits=ingest.Limits())


def chat(question, *answers):
    turns = [{"role": "assistant", "content": answer} for answer in answers]
    return [{"role": "system", "content": "Answer."}, {"role": "user", "content": question}, *turns]


@pytest.mark.parametrize("completion", ["5", {"role": "assistant", "content": "5"}])
def test_the_last_message_is_right_where_another_column_has_the_output(completion):
    seen = preview(*({"messages": chat(f"{n}?", f"{n}"), "completion": completion} for n in range(8)))

    assert seen.rows[3] == {"messages": chat("3?"), "completion": "5", "expected answer": "3"}
    assert (seen.roles["messages"], seen.roles["expected answer"]) == ("inputs", "reference")
    assert [warning.code for warning in seen.warnings] == ["answers_in_conversations"]


@pytest.mark.parametrize("beside", [{}, {"completion": "5", "reference": "4"}])
def test_conversations_without_an_output_or_with_a_reference_beside_them_stay_whole(beside):
    seen = preview(*({"messages": chat(f"{n}?", f"{n}"), **beside} for n in range(8)))

    assert not seen.format.answered
    assert seen.rows[3]["messages"] == chat("3?", "3")


def test_conversations_that_end_with_a_question_have_no_right_answer():
    rows = [{"messages": chat(f"{n}?", "4") if n else chat("0?"), "completion": "5"} for n in range(8)]

    assert not preview(*rows).format.answered


def test_the_format_is_stored_whole():
    fmt = preview(*({"messages": chat(f"{n}?", f"{n}"), "completion": "5"} for n in range(8))).format

    assert ingest.Format.from_dict(json.loads(json.dumps(fmt.as_dict()))) == fmt


def test_what_the_models_of_rows_answered_is_the_output():
    rows = [
        {"id": f"c{n}", "model": model, "messages": chat(f"{n}?", model), "feedback": "thumbs_up"}
        for n in range(6)
        for model in ("a", "b")
    ]

    seen = preview(*rows)

    assert (seen.roles["messages"], seen.roles["output"]) == ("inputs", "output")
    assert (seen.rows[1]["messages"], seen.rows[1]["output"]) == (chat("0?"), "b")
