"""Answers of chat models: what is read of a body, and what is never repeated of it."""

import json

import pytest

from evaluations.clients import Guard
from evaluations.clients.chat_client import EMPTY, ChatClient, read
from tests.clients.chat import reply

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
    answer = read(reply("Paris", finish=finish).body)

    assert (answer.text, answer.failure, answer.finish_reason) == ("Paris", "", "")


@pytest.mark.parametrize("calls", [{"name": "f"}, "f", 1])
def test_tool_calls_that_are_no_list_are_no_answer(calls):
    assert read(reply(None, tool_calls=calls).body).failure == EMPTY


def test_a_server_that_repeats_the_key_in_an_answer_gets_it_nowhere(ask):
    answer = ask(reply(f"You sent {KEY}.", finish=KEY, tool_calls=[{"id": KEY}]))

    assert answer.text == "You sent •••."
    assert KEY not in json.dumps([answer.finish_reason, answer.tool_calls])


def test_a_key_that_may_be_a_word_changes_no_answer(ask):
    assert ask(reply("ollama serves models"), key="ollama").text == "ollama serves models"
