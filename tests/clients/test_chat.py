"""Answers of chat models: what is read from a body, and what is never repeated from it."""

import base64
import json
from dataclasses import replace

import pytest

from evaluations.clients import Guard, ServiceError
from evaluations.clients.answers import parsed
from evaluations.clients.chat_client import EMPTY, ChatClient, read
from tests.clients.chat import reply
from tests.clients.stub import json_reply

KEY = "a-key-without-a-familiar-prefix"


@pytest.fixture
def ask(serve):
    """The answer of a server to a client with a key."""

    def ask(reply, key=KEY):
        client = ChatClient(serve(lambda request: reply).url, key, Guard(["127.0.0.1"]))
        try:
            return client.answer({"model": "m", "messages": [{"role": "user", "content": "?"}]}, 5)
        finally:
            client.close()

    return ask


@pytest.mark.parametrize("finish", [["stop"], {"reason": "stop"}, 7, None])
def test_a_finish_reason_that_is_no_text_does_no_harm(finish):
    answer = read(parsed(reply("Paris", finish=finish).body))

    assert (answer.text, answer.failure, answer.finish_reason) == ("Paris", "", "")


@pytest.mark.parametrize("calls", [{"name": "f"}, "f", 1])
def test_tool_calls_that_are_no_list_are_no_answer(calls):
    assert read(parsed(reply(None, tool_calls=calls).body)).failure == EMPTY


def test_a_server_that_repeats_the_key_in_an_answer_gets_it_nowhere(ask):
    answer = ask(reply(f"You sent {KEY}.", finish=KEY, tool_calls=[{"id": KEY}]))

    assert answer.text == "You sent •••."
    assert KEY not in json.dumps([answer.finish_reason, answer.tool_calls])


@pytest.mark.parametrize("key", ["secret12", "sk/live+1", 'a"b\\c/d1', "two-words"])
@pytest.mark.parametrize("escape", [lambda body: body, lambda body: body.replace(b"/", b"\\/")])
def test_a_short_key_is_hidden_in_answers_too_and_as_base64(ask, key, escape):
    encoded = base64.b64encode(key.encode()).decode().rstrip("=")
    answer = reply(f"You sent {key}, {encoded}.")

    assert ask(replace(answer, body=escape(answer.body)), key=key).text == "You sent •••, •••."


@pytest.mark.parametrize("key", ["secret12", "sk/live+1", KEY])
def test_a_key_is_hidden_when_an_answer_spells_it_with_escapes_of_json(ask, key):
    spelt = "".join(f"\\u{ord(c):04X}" for c in key)
    call = {"function": {"name": "f", "arguments": '{"sent": "' + spelt + '"}'}}
    body = reply("KEY", tool_calls=[call]).body.replace(b"KEY", spelt.encode())

    answer = ask(replace(reply(), body=body), key=key)

    assert answer.text == "•••"
    assert json.loads(answer.tool_calls[0]["function"]["arguments"]) == {"sent": "•••"}


@pytest.mark.parametrize("key", ["ollama", "anything", "12345678", "a-1"])
def test_a_key_that_may_be_a_word_or_a_number_changes_no_answer(ask, key):
    assert ask(reply(f"{key} serves models"), key=key).text == f"{key} serves models"


def test_no_error_repeats_the_key_in_any_form(ask):
    encoded = base64.b64encode(b"anything").decode().rstrip("=")
    body = json.dumps({"error": {"message": f"not anything, {encoded}"}}).encode()

    with pytest.raises(ServiceError) as caught:
        ask(json_reply(body, 401), key="anything")

    assert caught.value.message == "The server rejected the API key (401): not •••, •••"


@pytest.mark.parametrize("ending", ["", "/"])
@pytest.mark.parametrize(("key", "sent_key"), [(KEY, f"Bearer {KEY}"), ("", None)], ids=["key", "no key"])
def test_a_request_is_sent_unchanged(serve, ending, key, sent_key):
    stub = serve(lambda request: reply())
    body = {"model": "m", "messages": [{"role": "user", "content": "é"}], "a_field_of_tomorrow": [2**70]}
    client = ChatClient(stub.url + ending, key, Guard(["127.0.0.1"]))

    client.answer(body, 5)
    client.close()

    assert stub.requests == [body]
    assert (stub.paths, stub.headers[0].get("authorization")) == (["/v1/chat/completions"], sent_key)
