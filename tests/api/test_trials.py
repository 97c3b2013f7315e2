"""Trials by the API: start, read, stop and retry."""

import pytest

from evaluations.evaluators import connections
from evaluations.models import Trial
from tests import trials

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def prompt(writer, project, settings, stub) -> dict:
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]
    connections.create(project, None, "stub", stub.url)
    messages = [{"role": "user", "content": "Where is {{ question }}?"}]
    return writer.create("prompts/", {"name": "where", "messages": messages, "model": "tiny"})


def test_a_trial_shows_the_answers_of_versions_and_models(writer, prompt, dataset, stub):
    body = {
        "dataset": dataset["id"],
        "positions": [2],
        "variants": [{}, {"model": "small", "parameters": {"seed": 7}}],
    }

    started = writer.create(f"prompts/{prompt['id']}/try/", body)
    trials.answer()

    trial = writer.get(f"trials/{started['id']}/").json()
    assert (started["status"], trial["status"]) == ("running", "completed")
    assert [variant["name"] for variant in trial["variants"]] == ["v1", "v1, small"]
    assert {(request["model"], request.get("seed")) for request in stub.requests} == {
        ("tiny", None),
        ("small", 7),
    }
    [first, _] = trial["answers"]
    assert (first["status"], first["tokens_in"], first["cost"]) == ("answered", 10, None)
    assert trial["examples"][0]["position"] == 2


def test_typed_inputs_are_asked(writer, prompt):
    started = writer.create(
        f"prompts/{prompt['id']}/try/", {"inputs": [{"inputs": {"question": "Rome"}, "reference": "x"}]}
    )
    trials.answer()

    trial = writer.get(f"trials/{started['id']}/").json()
    assert [answer["output"] for answer in trial["answers"]] == ["Where is Rome?"]
    assert trial["examples"][0]["reference"] == {"reference": "x"}


def test_a_trial_is_stopped_and_asked_again(writer, prompt):
    body = {"inputs": [{"inputs": {"question": "Rome"}}]}
    started = writer.create(f"prompts/{prompt['id']}/try/", body)

    stopped = writer.post(f"trials/{started['id']}/stop/").json()
    again = writer.post(f"trials/{started['id']}/again/").json()

    assert (stopped["status"], stopped["answers"][0]["error"]["code"]) == ("stopped", "stopped")
    assert (again["status"], again["answers"][0]["error"]) == ("running", None)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "invalid_trial"),
        ({"positions": [1]}, "required"),
        ({"inputs": []}, "invalid_trial"),
        ({"inputs": [{"inputs": {"question": "a"}}] * 6}, "invalid_trial"),
        ({"inputs": [{"inputs": {"question": "a"}}], "sample": {}}, "invalid_trial"),
        ({"inputs": [{"inputs": {"answer": "a"}}]}, "unknown_variable"),
        ({"inputs": [{"inputs": {"question": "a"}}], "variants": []}, "invalid_trial"),
        ({"inputs": [{"inputs": {"question": "a"}}], "variants": [{}, {}]}, "invalid_trial"),
        ({"inputs": [{"inputs": {"question": "a"}}], "budget": "1.00"}, "max_tokens_required"),
        ({"inputs": [{"inputs": "a"}]}, "invalid"),
        ({"sample": {"size": 9}, "dataset": 1}, "invalid"),
        ({"nonsense": 1}, "unknown_field"),
    ],
)
def test_a_trial_that_cannot_be_asked_is_refused(writer, prompt, body, code):
    answer = writer.post(f"prompts/{prompt['id']}/try/", body)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
    assert not Trial.objects.exists()
