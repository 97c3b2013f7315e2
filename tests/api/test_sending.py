"""A GET call is sent from the reference with a key, and shows what a program would get."""

import pytest

from evaluations.access import api_keys
from evaluations.api import sending
from tests import factories
from tests.pages import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def alices(client, alice):
    client.force_login(alice)
    return client


@pytest.fixture
def key(project, alice):
    return api_keys.create_key(project, alice, "Reader", "read")[1]


@pytest.fixture
def run(project):
    return factories.scored_run(factories.experiment(project), variant="terse")


def test_the_answer_of_a_call_is_shown_with_its_status_and_headers(alices, key, run):
    page = text_of(alices.post("/api/send/runs_get/", {"id": run.pk, "key": key}))

    assert "200 OK" in page
    assert f"GET /api/v1/runs/{run.pk}/" in page
    assert '"variant": "terse"' in page
    assert "Content-Type application/json" in page
    assert key not in page


def test_the_session_opens_nothing_that_the_key_does_not(alices, run):
    page = text_of(alices.post("/api/send/runs_get/", {"id": run.pk, "key": "evk_wrong"}))

    assert "401 Unauthorized" in page
    assert "terse" not in page


def test_parameters_of_the_query_are_sent_where_they_are_filled_in(alices, key, run):
    page = text_of(
        alices.post("/api/send/runs_list/", {"experiment": run.experiment_id, "status": "", "key": key})
    )

    assert f"GET /api/v1/runs/?experiment={run.experiment_id}" in page
    assert "status=" not in page


def test_a_refusal_of_the_api_is_shown_as_it_came(alices, key):
    page = text_of(alices.post("/api/send/runs_get/", {"id": "a/b", "key": key}))

    assert "404 Not Found" in page


@pytest.mark.parametrize(
    ("filled", "said"), [({"key": "evk_x"}, "Fill in id."), ({"id": "1"}, "Paste a key.")]
)
def test_what_lacks_is_asked_for(alices, filled, said):
    assert said in text_of(alices.post("/api/send/runs_get/", filled))


def test_only_calls_that_change_nothing_can_be_sent(alices):
    assert {operation.method for operation in sending.sendable().values()} == {"GET"}
    assert alices.get("/api/send/runs_delete/").status_code == 404


def test_of_a_long_answer_the_beginning_is_shown(alices, key, run, monkeypatch):
    monkeypatch.setattr(sending, "MOST", 20)

    assert "Only the beginning is shown." in text_of(
        alices.post("/api/send/runs_export_get/", {"id": run.pk, "format": "csv", "key": key})
    )
