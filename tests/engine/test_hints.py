"""Messages to workers, with and without a broker."""

import signal
import time

import pytest
from celery import current_app
from django.db import transaction

from evaluations import hints
from tests import processes

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def private_redis(tmp_path, settings, monkeypatch):
    """A Redis of its own, which the test may stop or kill."""
    running = processes.Redis(tmp_path)
    settings.CELERY_BROKER_URL = running.url
    monkeypatch.setattr(current_app.conf, "broker_url", running.url)
    monkeypatch.setattr(hints.Outage, "ends_at", 0.0)
    yield running
    running.end()


def queue_length(server: processes.Redis) -> int:
    """The number of messages in the queue."""
    return server.private.client().llen("work")


def seconds_of(call) -> float:
    start = time.monotonic()
    call()
    return time.monotonic() - start


@pytest.mark.processes
def test_a_hint_reaches_the_broker_when_the_transaction_commits(private_redis):
    with transaction.atomic():
        hints.send("evaluations.work", 7)
        before = queue_length(private_redis)

    assert before == 0
    assert queue_length(private_redis) == 1


@pytest.mark.processes
def test_a_file_does_not_wait_behind_the_hints_of_many_runs(private_redis):
    for _ in range(3):
        hints.send("evaluations.work", 7)
    hints.send("evaluations.import_file", 7)

    assert queue_length(private_redis) == 3
    assert private_redis.private.client().llen("files") == 1


@pytest.mark.processes
def test_hints_that_nobody_takes_do_not_fill_redis(private_redis, monkeypatch):
    monkeypatch.setattr(hints, "MOST_WAITING", 3)
    for n in range(5):
        hints.send("evaluations.work", n)
    hints.send("evaluations.import_file", 7)

    assert queue_length(private_redis) == 3
    assert private_redis.private.client().llen("files") == 1


@pytest.mark.processes
def test_a_hint_of_work_that_was_rolled_back_is_never_sent(private_redis):
    with transaction.atomic():
        hints.send("evaluations.work", 7)
        transaction.set_rollback(True)

    assert queue_length(private_redis) == 0


@pytest.mark.processes
@pytest.mark.parametrize("outage", [signal.SIGSTOP, signal.SIGKILL])
def test_a_broker_that_is_down_costs_few_seconds_once_and_then_nothing(private_redis, outage):
    hints.send("evaluations.work", 1)
    private_redis.process.send(outage)

    first = seconds_of(lambda: hints.send("evaluations.work", 2))
    second = seconds_of(lambda: hints.send("evaluations.work", 3))

    assert first < 20
    assert second < 1  # which is what a try to connect waits


@pytest.mark.processes
def test_hints_flow_again_when_the_broker_is_back(private_redis, monkeypatch):
    private_redis.process.send(signal.SIGSTOP)
    hints.send("evaluations.work", 1)
    private_redis.process.send(signal.SIGCONT)
    monkeypatch.setattr(hints.Outage, "ends_at", time.monotonic())

    hints.send("evaluations.work", 2)

    assert queue_length(private_redis) >= 1


def test_a_missing_broker_is_no_error(settings, monkeypatch, tmp_path):
    url = f"redis+socket://{tmp_path}/redis.sock"
    settings.CELERY_BROKER_URL = url
    monkeypatch.setattr(current_app.conf, "broker_url", url)
    monkeypatch.setattr(hints.Outage, "ends_at", 0.0)

    elapsed = seconds_of(lambda: hints.send("evaluations.work", 1))

    assert elapsed < 20
    assert hints.Outage.ends_at > time.monotonic()


def test_without_a_broker_nothing_is_tried(settings):
    settings.CELERY_BROKER_URL = ""

    assert hints.publish("evaluations.work", (1,)) is False


@pytest.mark.processes
def test_a_broker_whose_memory_is_full_is_no_error(private_redis):
    private_redis.private.client().config_set("maxmemory", 1)

    assert hints.publish("evaluations.work", (1,)) is False
