"""Events are sent to their receivers: signed, once, and retried for a day."""

import hashlib
import hmac
import json
import logging
from datetime import timedelta
from threading import Event

import pytest
from django.db.models import F

from evaluations import leases
from evaluations.access import projects
from evaluations.launches import launches
from evaluations.models import Delivery, Launch
from evaluations.webhooks import events, sending
from tests.clients.stub import Reply, json_reply

from .conftest import SECRET

pytestmark = pytest.mark.django_db(transaction=True)


def happen(launch):
    launches.stop(launch, Launch.Status.LIMIT)


def let_pass(time):
    """Make everything in the database this much older."""
    Delivery.objects.update(created_at=F("created_at") - time, due_at=F("due_at") - time)
    Delivery.objects.exclude(lease_until=None).update(lease_until=F("lease_until") - time)


def test_a_delivery_is_signed_over_its_time_and_its_bytes(hook, serve, launch):
    server = serve()
    hook(server)
    happen(launch)

    sending.work()

    [body], [headers] = server.bodies, server.headers
    signed = headers["Evalsite-Timestamp"].encode() + b"." + body
    digest = hmac.digest(SECRET.encode(), signed, hashlib.sha256).hex()
    assert headers["Evalsite-Signature"] == f"sha256={digest}"
    assert abs(int(headers["Evalsite-Timestamp"]) - leases.now().timestamp()) < 600
    event = json.loads(body)
    assert event["event"] == "launch.stopped"
    assert {"id", "at", "launch", "experiment", "status", "sentence", "link", "text"} <= set(event)
    delivery = Delivery.objects.get()
    assert (delivery.status, delivery.attempt, delivery.http_status) == ("delivered", 1, 200)


def test_a_delivered_event_is_not_sent_again(hook, serve, launch):
    server = serve()
    hook(server)
    happen(launch)

    sending.work()
    let_pass(timedelta(hours=5))
    sending.work()

    assert len(server.bodies) == 1


def test_a_failed_delivery_waits_and_is_sent_again_with_the_same_bytes(hook, serve, launch):
    replies = iter([Reply(status=500), json_reply({})])
    server = serve(lambda request: next(replies))
    hook(server)
    happen(launch)

    sending.work()
    sending.work()
    first = Delivery.objects.get()
    let_pass(timedelta(seconds=31))
    sending.work()

    assert (first.status, first.http_status, first.attempt) == ("waiting", 500, 1)
    delivery = Delivery.objects.get()
    assert (delivery.status, delivery.attempt, delivery.cause) == ("delivered", 2, "")
    before, after = (json.loads(body) | {"at": ""} for body in server.bodies)
    assert before == after


@pytest.mark.long
def test_a_receiver_that_fails_for_a_day_is_given_up(hook, serve, launch):
    server = serve(lambda request: Reply(status=503))
    hook(server)
    happen(launch)

    for _ in range(40):
        sending.work()
        let_pass(timedelta(hours=2, minutes=1))

    assert Delivery.objects.get().status == "failed"
    assert 10 < len(server.bodies) < 15


def test_a_worker_that_died_leaves_its_delivery_to_another(hook, serve, launch, settings):
    server = serve()
    hook(server)
    happen(launch)
    until = leases.now() - timedelta(seconds=1)
    Delivery.objects.update(state="leased", token="gone", lease_until=until, attempt=1)

    sending.sweep()
    sending.work()

    assert Delivery.objects.get().status == "delivered"


def test_silent_receivers_of_one_project_delay_no_other(hook, serve, launch, alice, monkeypatch):
    """Many that answer only after another project's receiver has its event, which is the last in the queue."""
    monkeypatch.setattr(sending, "SECONDS", 60.0)
    heard = Event()
    silent = serve(lambda request: json_reply({"heard": heard.wait(60)}))
    for _ in range(sending.AT_ONCE):
        hook(silent)
    happen(launch)
    other = hook(serve(lambda request: heard.set() or json_reply({})))
    other.project = projects.create("Elsewhere", alice)
    other.save()
    Delivery.objects.create(webhook=other, event="run.completed")

    sending.work()

    assert Delivery.objects.get(webhook=other).status == "delivered"
    assert Delivery.objects.filter(delivered_at=None).count() == 0


def test_receivers_that_failed_lately_come_last(hook, serve, launch):
    failing, sound = hook(serve()), hook(serve())
    Delivery.objects.create(webhook=failing, event="run.completed", tried_at=leases.now(), state="done")
    for webhook in (failing, sound):
        Delivery.objects.create(webhook=webhook, event="run.completed")

    assert [delivery.webhook for delivery in sending._next([])] == [sound, failing]


def test_a_private_address_is_refused_and_not_tried_again(hook, serve, launch, settings):
    server = serve()
    hook(server)
    settings.PROVIDER_ALLOWED_HOSTS = []
    happen(launch)

    sending.work()

    assert server.bodies == []
    assert Delivery.objects.get().status == "failed"


def test_a_redirect_is_not_followed(hook, serve, launch):
    target = serve()
    server = serve(lambda request: Reply(status=307, headers={"Location": target.url}))
    hook(server)
    happen(launch)

    sending.work()

    assert target.bodies == []
    delivery = Delivery.objects.get()
    assert delivery.status == "failed"
    assert "base URL" not in delivery.cause  # That is a word for connections.


def test_nothing_leaves_a_deleted_project(hook, serve, launch, project):
    server = serve()
    hook(server)
    happen(launch)
    project.deleted_at = leases.now()
    project.save()

    sending.work()

    assert server.bodies == []


def test_logs_name_neither_secret_nor_the_rest_of_an_address(hook, serve, launch, caplog):
    caplog.set_level(logging.INFO)
    hook(serve(lambda request: Reply(status=500)))
    happen(launch)

    sending.work()

    logged = [record.getMessage() for record in caplog.records]
    assert not [line for line in logged if SECRET in line or "private" in line]
    assert "private" not in Delivery.objects.get().cause


def test_a_test_is_sent_once_and_kept_in_the_log(hook, serve):
    server = serve(lambda request: Reply(status=404))

    delivery = sending.send_test(hook(server))
    let_pass(timedelta(hours=1))
    sending.work()

    assert (delivery.event, delivery.status, delivery.http_status) == (events.TEST, "failed", 404)
    assert len(server.bodies) == 1


def test_the_log_keeps_the_newest_of_each_webhook_for_a_month(hook, stub, monkeypatch):
    monkeypatch.setattr(sending, "MOST_KEPT", 3)
    first, second = hook(stub), hook(stub)
    Delivery.objects.bulk_create([Delivery(webhook=first, event="test") for _ in range(5)])
    old = leases.now() - timedelta(days=31)
    Delivery.objects.bulk_create([Delivery(webhook=second, event="test", created_at=old)])

    sending.forget_old()

    assert (first.deliveries.count(), second.deliveries.count()) == (3, 0)
