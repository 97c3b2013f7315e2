"""Answers of providers that are no usual answers: what is kept of them, what is asked again, and what ends a launch."""

import threading

import pytest

from evaluations.clients import ServiceError, chat_client
from evaluations.clients.answers import parsed
from evaluations.clients.failures import in_answer
from evaluations.evaluators import connections
from evaluations.launches import calls, generating, launches, states, storing
from evaluations.launches.plans import Plan, Variant
from evaluations.models import Connection, Output, Run
from evaluations.prompts import prompts
from evaluations.prompts.content import Content
from tests import factories
from tests.clients.chat import reply
from tests.clients.stub import json_reply

pytestmark = pytest.mark.django_db(transaction=True)
QUOTA = {
    "message": "You exceeded your current quota",
    "type": "insufficient_quota",
    "code": "insufficient_quota",
}
FLAGGED = {"message": "Your input was flagged by moderation", "code": 403}
PYDANTIC = [
    {
        "type": "extra_forbidden",
        "loc": ["body", "max_completion_tokens"],
        "msg": "Extra inputs are not permitted",
    }
]


@pytest.fixture
def launched(project, settings, serve, monkeypatch):
    """Runs a launch on a server that answers so; returns the launch and the server."""
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]
    monkeypatch.setattr(storing, "LONGEST_PAUSE", 0.0)

    def run(answer, size=1, in_flight=16, **plan):
        stub = serve(answer)
        server = connections.create(project, None, "server", stub.url, "k-secret-123")
        Connection.objects.filter(pk=server.pk).update(in_flight=in_flight)
        content = Content([{"role": "user", "content": "{{ question }}"}], "m", connection=server)
        version = prompts.version_of(prompts.create(project, None, "p", content))
        experiment = factories.experiment(project, references=["Lima"] * size)
        launch = launches.create(experiment, None, [Variant(version, "v1")], Plan(seed=1, **plan))
        while generating.work():
            pass
        launch.refresh_from_db()
        return launch, stub

    return run


def test_the_text_of_a_cut_answer_is_kept_and_not_scored(launched):
    launched(lambda request: reply("The capital of Peru is", finish="length"))

    output = Output.objects.get()
    assert output.error.startswith("cut: ")
    assert (output.text, output.partial) == (None, "The capital of Peru is")


def test_the_text_beside_tool_calls_is_kept(launched):
    tool_calls = [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    launched(lambda request: reply("Let me look.", tool_calls=tool_calls))

    output = Output.objects.get()
    assert output.is_json
    assert output.partial == "Let me look."


def test_the_words_of_a_refusal_are_kept(launched):
    launched(lambda request: reply(None, refusal="I can't help with that."))

    assert Output.objects.get().error == (
        "refused_to_answer: The model refused to answer. It said: I can't help with that."
    )


def test_an_overloaded_server_that_answers_200_is_asked_again(launched):
    error = {"message": "Provider returned error: model overloaded", "code": 503}
    answers = iter([json_reply({"error": error}), json_reply({"error": error}), reply("Lima")])

    _, stub = launched(lambda request: next(answers))

    assert Output.objects.get().text == "Lima"
    assert len(stub.requests) == 3


def test_an_error_in_a_choice_is_an_error(launched):
    choice = {
        "error": {"message": "no such tool", "code": 400},
        "message": {"content": ""},
        "finish_reason": "error",
    }

    launched(lambda request: json_reply({"choices": [choice]}))

    assert Output.objects.get().error == "refused: The server answered 400: no such tool"


@pytest.mark.parametrize(
    ("answer", "code", "words"),
    [
        (json_reply({"error": QUOTA}, 429), "insufficient_quota", "You exceeded your current quota"),
        (json_reply({"error": {"message": "Add credits"}}, 402), "insufficient_quota", "Add credits"),
        (json_reply({"error": FLAGGED}, 403), "moderation", "Your input was flagged by moderation"),
        (json_reply({"error": FLAGGED}), "moderation", "Your input was flagged by moderation"),
        (
            json_reply({"detail": PYDANTIC}, 422),
            "unsupported_parameter",
            "set max_tokens in the parameters instead",
        ),
        (
            json_reply({"error": {"message": "max_completion_tokens: extra fields not permitted"}}, 422),
            "unsupported_parameter",
            "this server does not know max_completion_tokens: set max_tokens",
        ),
    ],
)
def test_what_every_call_would_get_ends_a_launch_after_one(launched, answer, code, words):
    launch, stub = launched(lambda request: answer)

    error = Run.objects.get().error
    assert (len(stub.requests), launch.status, error["code"]) == (1, "failed", code)
    assert words in error["message"]


@pytest.mark.parametrize("error", [QUOTA, FLAGGED])
def test_a_launch_on_a_warm_connection_ends_after_one_refusal(launched, monkeypatch, error):
    monkeypatch.setattr(calls, "ALONE", 60.0)  # seconds; the machine may be slow
    launch, stub = launched(lambda request: json_reply({"error": error}, 403), size=41, in_flight=64)

    assert launch.status == "failed"
    assert len(stub.requests) == 1
    assert launch.budget.committed == 0


def test_a_slow_first_call_delays_the_others_by_a_moment_only(launched, monkeypatch):
    monkeypatch.setattr(calls, "ALONE", 0.1)
    asked = iter([None])
    others = threading.Event()  # the first answer comes when another question has arrived

    def answer(request):
        if next(asked, others) is others:
            others.set()
        assert others.wait(timeout=90)
        return reply("Lima")

    _, stub = launched(answer, size=41, in_flight=64)

    assert len(stub.requests) == Output.objects.filter(text="Lima").count() == 41


def test_a_launch_that_fails_while_it_is_read_is_not_completed(launched):
    launch, _ = launched(lambda request: json_reply({"error": QUOTA}, 429))
    launch.status = "running"  # as it was read, before it stopped and its runs were read

    assert states.of_launches([launch])[launch.pk].status == "failed"


@pytest.mark.parametrize(
    ("body", "code", "permanent"),
    [
        ({"error": "Unexpected endpoint or method"}, "http_error", True),
        ({"error": {"message": "x", "type": "overloaded_error"}}, "unavailable", False),
        ({"error": {"message": "x", "code": 429}}, "rate_limited", False),
        ({"error": {"message": "the model is at capacity"}}, "unavailable", False),
        ({"error": {"message": "x", "type": "invalid_request_error"}}, "refused", True),
        ({"error": {"message": "x", "code": "content_filter"}}, "filtered", True),
        ({"error": [{"deep": [[[]]]}]}, "http_error", True),
        ({"error": True}, "http_error", True),
    ],
)
def test_an_error_inside_a_200_is_named(body, code, permanent):
    error = in_answer(body)

    assert (error.code, error.permanent) == (code, permanent)


@pytest.mark.parametrize("body", [{}, {"error": None}, {"error": ""}, {"error": {}}, [], None, "error"])
def test_an_answer_without_an_error_holds_none(body):
    assert in_answer(body) is None


def test_the_words_of_an_error_never_hold_the_key_of_the_connection(serve, settings, project):
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]
    stub = serve(
        lambda request: json_reply({"error": {"message": "the key k-secret-123 is bad", "code": 400}})
    )
    client = connections.chat_client(connections.create(project, None, "s", stub.url, "k-secret-123"), 1)

    with pytest.raises(ServiceError) as caught:
        client.answer({"model": "m", "messages": []}, 5)

    assert "k-secret-123" not in caught.value.message
    client.close()


def test_a_failed_answer_keeps_its_calls():
    tool_calls = [{"id": "1", "function": {"name": "f"}}]

    answer = chat_client.read(parsed(reply(None, finish="length", tool_calls=tool_calls).body))

    assert (answer.failure[:4], answer.partial) == ("cut:", '[{"id":"1","function":{"name":"f"}}]')
