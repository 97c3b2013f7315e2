"""Webhooks by the API: for administrators, and the secret is shown once."""

import pytest

from evaluations.models import Delivery, Webhook
from tests.clients.stub import json_reply

from .conftest import program

HOOK = {"url": "https://8.8.8.8/hook?token=t", "events": ["gate.failed", "run.completed"]}


@pytest.fixture
def admin(project, alice):
    return program(project, "admin", alice)


def test_the_secret_is_shown_once_and_stored_encrypted(admin):
    created = admin.create("webhooks/", HOOK)
    secret = created["secret"]

    later_answers = [admin.get(path).content.decode() for path in ("webhooks/", f"webhooks/{created['id']}/")]

    assert len(secret) > 40
    assert created["events"] == ["run.completed", "gate.failed"]
    assert not [text for text in later_answers if secret in text or "encrypted" in text]
    assert secret not in Webhook.objects.get().encrypted_secret


def test_a_repeated_request_creates_one_webhook_and_shows_no_secret(admin):
    headers = {"Idempotency-Key": "once"}
    first, again = (admin.post("webhooks/", HOOK, **headers).json() for _ in range(2))

    assert (first["id"], again["secret"]) == (again["id"], None)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"url": "http://127.0.0.1/x"}, "url"),
        ({"url": "http://169.254.169.254/latest"}, "url"),
        ({"url": "ftp://8.8.8.8/"}, "url"),
        ({"url": "https://user@8.8.8.8/"}, "url"),
        ({"events": []}, "events"),
        ({"events": ["run.deleted"]}, "events"),
        ({"events": [["x"]]}, "events"),
        ({"events": None}, "events"),
        ({"secret": "short"}, "secret"),
        ({"secret": ""}, "secret"),
        ({"other": 1}, "other"),
    ],
)
def test_an_invalid_field_is_refused_by_name(admin, change, field):
    response = admin.post("webhooks/", HOOK | change)

    assert response.status_code == 400
    assert [name.partition(".")[0].partition("[")[0] for name in response.json()["error"]["fields"]] == [
        field
    ]
    assert not Webhook.objects.exists()


def test_a_project_has_ten_webhooks_at_most(admin):
    for _ in range(10):
        admin.create("webhooks/", HOOK)

    response = admin.post("webhooks/", HOOK)

    assert (response.status_code, response.json()["error"]["code"]) == (409, "too_many_webhooks")


def test_a_test_reports_its_outcome_and_is_listed_as_a_delivery(admin, serve, settings):
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]
    server = serve(lambda request: json_reply({}))
    webhook = admin.create("webhooks/", HOOK | {"url": server.url})["id"]

    answer = admin.post(f"webhooks/{webhook}/test/")

    assert (answer.status_code, answer.json()["status"]) == (200, "delivered")
    assert admin.get(f"webhooks/{webhook}/deliveries/").json()["results"] == [answer.json()]


def test_a_deleted_webhook_takes_its_deliveries_along(admin):
    webhook = admin.create("webhooks/", HOOK)["id"]
    Delivery.objects.create(webhook_id=webhook, event="run.completed")

    assert admin.delete(f"webhooks/{webhook}/").status_code == 204
    assert not Delivery.objects.exists()
