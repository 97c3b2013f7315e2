"""The parts of a prompt version, and the request built from them."""

import pytest

from evaluations.errors import Invalid, TooLarge
from evaluations.prompts.content import MOST_BYTES, Content, check

ASK = {"role": "user", "content": "Why?"}
CALLS = [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
TOOL = {"type": "function", "function": {"name": "f", "parameters": {}}}


@pytest.mark.parametrize(
    ("parts", "pointer"),
    [
        ({"messages": []}, "messages"),
        ({"messages": [ASK] * 101}, "messages"),
        ({"messages": ["Why?"]}, "messages/0"),
        ({"messages": [ASK, {"role": "robot", "content": "a"}]}, "messages/1/role"),
        ({"messages": [{"role": ["user"], "content": "a"}]}, "messages/0/role"),
        ({"messages": [{"role": "user"}]}, "messages/0/content"),
        ({"messages": [{"role": "assistant", "content": None}]}, "messages/0/content"),
        ({"messages": [{"role": "user", "content": 7}]}, "messages/0/content"),
        ({"messages": [{"role": "user", "content": [{"text": "a"}]}]}, "messages/0/content"),
        ({"messages": [ASK], "model": "m" * 201}, "model"),
        ({"messages": [ASK], "parameters": {"stream": True}}, "parameters/stream"),
        ({"messages": [ASK], "parameters": {"model": "m"}}, "parameters/model"),
        ({"messages": [ASK], "parameters": {"n": 2}}, "parameters/n"),
        (
            {"messages": [ASK], "schema": {}, "parameters": {"response_format": {}}},
            "parameters/response_format",
        ),
        ({"messages": [ASK], "tools": [{"function": {}}]}, "tools/0"),
    ],
)
def test_a_part_that_no_server_could_be_sent_is_named(parts, pointer):
    with pytest.raises(Invalid) as refusal:
        check(Content(**parts))

    assert refusal.value.code == "invalid_prompt"
    assert list(refusal.value.fields) == [pointer]


def test_every_wrong_part_is_named_at_once():
    with pytest.raises(Invalid) as refusal:
        check(Content([{"role": "robot"}], parameters={"stream": True}))

    assert set(refusal.value.fields) == {"messages/0/role", "messages/0/content", "parameters/stream"}


@pytest.mark.parametrize(
    "message",
    [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "a"}], "name": "ada"},
        {"role": "assistant", "content": None, "tool_calls": CALLS},
        {"role": "assistant", "tool_calls": CALLS},
        {"role": "tool", "tool_call_id": "1", "content": "7"},
    ],
)
def test_a_message_as_the_api_spells_it_passes_through(message):
    assert check(Content([message])).body([message])["messages"] == [message]


def test_a_version_larger_than_the_limit_is_refused():
    with pytest.raises(TooLarge) as refusal:
        check(Content([{"role": "user", "content": "é" * (MOST_BYTES // 2)}]))

    assert refusal.value.code == "prompt_too_large"


def test_the_request_holds_model_messages_parameters_schema_and_tools():
    schema = {"type": "object", "properties": {"answer": {"type": "number"}}}
    content = Content([ASK], "gpt-4.1-nano", {"temperature": 0, "seed": 7}, schema, [TOOL])

    assert content.body([ASK]) == {
        "model": "gpt-4.1-nano",
        "messages": [ASK],
        "temperature": 0,
        "seed": 7,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": schema, "strict": True},
        },
        "tools": [TOOL],
    }


def test_a_request_without_schema_and_tools_names_neither():
    assert Content([ASK], "m").body([ASK], model="other") == {"model": "other", "messages": [ASK]}
