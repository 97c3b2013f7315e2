"""Parts of a message, in the forms of the APIs of OpenAI and Anthropic."""

import pytest

from evaluations.conversations.messages import conversation, transcript
from evaluations.conversations.parts import Part, content


def test_a_list_of_texts_is_as_many_texts():
    assert content(["Rome", "Paris"]) == (Part("text", "Rome"), Part("text", "Paris"))


@pytest.mark.parametrize(("value", "text"), [({"no": "type"}, '{"no":"type"}'), (5, "5"), (None, "null")])
def test_a_part_of_no_known_form_is_shown_as_json(value, text):
    [part] = content([value])
    assert (part.kind, part.text.replace(" ", "")) == ("data", text)


def test_a_refusal_among_the_parts_is_a_refusal():
    assert content([{"type": "refusal", "refusal": "I cannot."}]) == (Part("refusal", "I cannot."),)


def test_a_refusal_beside_the_content_is_a_refusal():
    [message] = conversation([{"role": "assistant", "content": None, "refusal": "I cannot."}])
    assert Part("refusal", "I cannot.") in message.parts


def test_a_spoken_answer_is_an_attachment():
    [message] = conversation([{"role": "assistant", "content": None, "audio": {"id": "a", "data": "AAAA"}}])
    assert [part.name for part in message.parts if part.kind == "attachment"] == ["audio"]


def test_a_summary_of_reasoning_is_shown_before_the_answer():
    items = [
        {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "Capitals."}]},
        {"role": "assistant", "content": "Rome"},
    ]
    assert transcript(conversation(items)) == "reasoning: Capitals.\nassistant: Rome"
