"""Parsing of conversations: nothing is lost, and other values are not conversations."""

import json

import pytest

from evaluations.conversations.messages import conversation, summary, transcript
from evaluations.conversations.parts import Part

# From the guide to function calling of the OpenAI API.
CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city":"Rome"}'},
}
CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Weather in Rome?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "call_1", "content": "21 degrees"},
]


def parts(*messages):
    return [part for message in conversation(list(messages)) for part in message.parts]


def test_roles_texts_calls_and_results_are_read():
    messages = conversation(CHAT)

    assert [(message.role, message.name, message.text) for message in messages] == [
        ("system", "", "Be brief."),
        ("user", "", "Weather in Rome?"),
        ("assistant", "", 'get_weather({"city":"Rome"})'),
        ("tool", "get_weather", "21 degrees"),
    ]


def test_a_conversation_is_read_from_a_json_text():
    assert conversation(json.dumps(CHAT)) == conversation(CHAT)


def test_a_single_message_is_a_conversation():
    assert conversation(CHAT[0]) == conversation([CHAT[0]])


def test_a_list_of_calls_is_an_assistant_message():
    assert conversation([CALL]) == conversation(json.dumps([CALL])) == conversation([CHAT[2]])


def test_definitions_of_tools_are_no_calls():
    assert conversation([{"type": "function", "function": {"name": "get_weather", "parameters": {}}}]) is None


def test_items_of_the_responses_api_are_read():
    items = [
        {"type": "message", "id": "m1", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
        {"type": "function_call", "id": "f", "call_id": "c", "name": "find", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "found"},
    ]

    assert transcript(conversation(items)) == "user: Hi\nassistant: find({})\ntool find: found"


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        "",
        "[not json",
        "role",
        [1, 2],
        [{"role": "user"}],
        [{"role": 1, "content": "x"}],
        [{"role": "user", "content": 5}],
        [*CHAT, {"name": "no message"}],
        {"role": "engineer", "content": "of a person"},
        '[{"role": "user", "content": ' + "[" * 5_000 + "]" * 5_000 + "}]",
    ],
)
def test_other_values_are_no_conversations(value):
    assert conversation(value) is None


def test_attachments_are_named_without_their_bytes():
    message_parts = parts(
        {
            "role": "user",
            "content": [
                {"type": "image_url", "image_url": {"url": "https://example.com/cat.png"}},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAAAAAA"}},
                {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
                {"type": "file", "file": {"filename": "plan.pdf", "file_id": "file-1"}},
            ],
        }
    )

    assert [(part.name, part.text) for part in message_parts] == [
        ("image", "https://example.com/cat.png"),
        ("image", "image/png, 6 bytes"),
        ("audio", "wav, 3 bytes"),
        ("file", "plan.pdf, file-1"),
    ]


def test_unknown_fields_are_kept_as_json():
    message_parts = parts(
        {"role": "user", "content": [{"type": "odd", "x": 1}], "weight": 2, "annotations": []}
    )

    assert message_parts == [
        Part("data", '{"type": "odd", "x": 1}'),
        Part("data", '{"weight": 2}', "other fields"),
    ]


@pytest.mark.parametrize(
    "odd", ["x", 5, [], {"function": None}, {"type": "function", "function": {"name": 1}}]
)
def test_calls_of_any_form_are_kept(odd):
    (part,) = parts({"role": "assistant", "tool_calls": [odd]})

    assert part.kind == "data"


def test_one_line_says_how_many_and_the_last():
    assert summary(conversation(CHAT)) == "4 messages, last tool get_weather: 21 degrees"
