"""Answers that arrive as server-sent events equal those that arrive at once."""

import pytest

from evaluations.clients import ServiceError, streams
from evaluations.clients.chat_client import read
from tests.clients.chat import event, last_events


def test_texts_reasoning_and_figures_are_put_together():
    body = event(role="assistant", reasoning_content="Hm") + event(content="It is ") + event(content="Rome")

    answer = read(streams.assembled(body + last_events("length")))

    assert (answer.text, answer.reasoning, answer.finish_reason) == ("It is Rome", "Hm", "length")
    assert answer.failure.startswith("cut")
    assert (answer.model, answer.tokens.input, answer.tokens.output) == ("tiny-1", 10, 2)


def test_calls_of_tools_are_put_together_by_their_index():
    def call(index, arguments, **named):
        return {"index": index, "function": {"arguments": arguments} | named}

    body = event(tool_calls=[call(0, '{"a', name="f") | {"id": "c1", "type": "function"}])
    body += event(tool_calls=[call(1, "{}", name="g") | {"id": "c2", "type": "function"}])
    body += event(tool_calls=[call(0, '": 1}')])

    answer = read(streams.assembled(body + last_events("tool_calls")))

    assert answer.tool_calls == [
        {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}},
        {"id": "c2", "type": "function", "function": {"name": "g", "arguments": "{}"}},
    ]


def test_events_may_be_cut_anywhere():
    whole, stream = event(content="Grün") + last_events(), streams.Stream()

    for byte in whole:
        stream.feed(bytes([byte]))

    assert stream.text == "Grün"
    assert stream.answer() == streams.assembled(whole)


class Arriving(bytes):
    """A part of a line that must not be appended to all parts before it: a long line would take quadratic time."""

    def __radd__(self, earlier):
        raise AssertionError


def test_a_long_line_is_joined_once():
    stream = streams.Stream()

    for part in (b"data: ", b'{"choices": [{"delta": ', b'{"content": "It"}}]}', b"\n"):
        stream.feed(Arriving(part))

    assert stream.text == "It"


def test_the_beginning_of_a_very_long_answer_is_shown():
    stream = streams.Stream()
    stream.mask = lambda text: text.replace("key", "***")

    stream.feed(event(content="a key " * 10_000))

    assert stream.text == ("a *** " * 10_000)[: streams.SHOWN]


@pytest.mark.parametrize("body", [event(content="It is"), b"data: nonsense\n\n", b": ping\n\n"])
def test_a_stream_that_ends_early_is_no_answer(body):
    with pytest.raises(ServiceError) as refusal:
        streams.assembled(body)

    assert refusal.value.code == "bad_answer"


def test_an_error_in_a_stream_is_that_of_the_server():
    assert streams.assembled(event(content="It") + b'data: {"error": {"message": "overloaded"}}\n\n') == {
        "model": "tiny-1",
        "error": {"message": "overloaded"},
    }
