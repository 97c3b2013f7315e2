"""Concurrent calls of one worker process."""

import time
from collections import deque

import pytest

from evaluations.clients import ServiceError
from evaluations.clients.chat_client import read
from evaluations.evaluators import connections
from evaluations.launches.asked import Asked, Outcome, Question, Silence
from evaluations.launches.calls import Calls, LeasedChunk
from evaluations.models import Budget, Spending
from tests.clients.stub import Stub, json_reply

pytestmark = pytest.mark.django_db
BODY = {"model": "tiny", "messages": []}
NO_JSON = BODY | {"seed": object()}
CHOICE = {"message": {"content": "Paris"}, "finish_reason": "stop"}


@pytest.fixture
def served():
    """The answer of the server."""
    return {"status": 200}


class OfServer(Asked):
    """What is asked of one server."""

    seconds = 120.0

    def __init__(self, server):
        super().__init__(("test", 1), Budget())
        self._server = server

    @property
    def connection(self):
        return self._server


@pytest.fixture
def leased(project, settings, served):
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]
    server = Stub(lambda request: json_reply({"choices": [CHOICE]}, **served))
    connection = connections.create(project, None, "stub", server.url, "k-secret-123")
    yield LeasedChunk(chunk=None, asked=OfServer(connection), waiting=deque())
    server.close()


@pytest.mark.parametrize(("status", "room"), [(200, 9), (500, 4)], ids=["good", "trouble"])
def test_a_connection_learns_from_its_answers(leased, served, status, room):
    calls = Calls(64)
    first = calls.room(leased.asked, time.monotonic())
    served["status"] = status

    calls.begin(leased, Question(1, BODY), Spending())
    while not calls.arrived():
        pass
    calls.close()

    assert (first, calls.room(leased.asked, time.monotonic())) == (1, room)


def test_a_fault_of_our_own_fails_its_answer_alone(leased, caplog):
    calls, questions = Calls(2), [Question(1, NO_JSON), Question(2, BODY)]

    for question in questions:
        calls.begin(leased, question, Spending())
    arrived = []
    while len(arrived) < len(questions):
        arrived += calls.arrived()
    calls.close()

    by_position = {outcome.question.position: outcome for _, outcome in arrived}
    assert by_position[1].error.code == "internal_error"
    assert by_position[2].result.text == "Paris"
    assert "TypeError" in caplog.text
    assert (leased.under_way, calls.under_way) == (0, 0)


def test_calls_to_another_server_leave_a_few_slots(leased, project):
    other = connections.create(project, None, "other", "http://127.0.0.1:1/v1", "k-secret-456")
    calls, now = Calls(64), time.monotonic()
    busy = calls.line(leased.connection)
    busy.pace.in_flight = 100.0

    busy.under_way = 64
    calls.line(other).alone_until[leased.asked.name] = now

    assert calls.room(leased.asked, now) == 0
    assert calls.room(OfServer(other), now) == 8
    calls.line(other).under_way = 8
    assert calls.room(OfServer(other), now) == 0
    calls.close()


def outcome(code: str = "") -> Outcome:
    result = ServiceError("no", permanent=False, code=code) if code else read({"choices": [CHOICE]})
    return Outcome(Question(1, BODY), Spending(), result)


@pytest.mark.parametrize(
    ("outcomes", "waited", "is_silent"),
    [
        (["timeout"] * 8, 360.0, True),
        (["timeout"] * 7, 360.0, False),
        (["timeout"] * 64, 300.0, False),
        ([*["timeout"] * 7, "", *["timeout"] * 7], 360.0, False),
        (["unavailable"] * 8, 360.0, False),
    ],
)
def test_a_server_is_silent_after_many_timeouts_in_a_row(monkeypatch, outcomes, waited, is_silent):
    now = [1_000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    silence = Silence()

    silence.note(map(outcome, outcomes))
    now[0] += waited

    assert silence.lasts(120.0) == is_silent
