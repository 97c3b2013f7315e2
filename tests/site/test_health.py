"""/healthz, /readyz and the watchdog."""

import signal
import subprocess
import sys
import threading
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from celery import signals
from django.utils import timezone

from evaluations.engine import consumption
from evaluations.evaluators import connections
from evaluations.models import Chunk, Import, Job, Pulse
from evaluations.scoring import scoring
from evaluations.upkeep import watchdog
from tests import factories, processes
from tests.clients.stub import Stub, embedded
from tests.processes import wait_until

pytestmark = pytest.mark.django_db

STARTED = 90  # seconds for the start of a worker on a busy machine


def pulse(seconds_ago: float) -> None:
    Pulse.objects.create(name="sweep", at=timezone.now() - timedelta(seconds=seconds_ago))


def test_healthz_is_200_while_pages_and_database_respond(client):
    assert client.get("/healthz").json() == {"status": "ok"}


def test_readyz_is_503_while_no_worker_takes_work(client):
    pulse(seconds_ago=300)

    response = client.get("/readyz")

    assert response.status_code == 503
    assert response.json() == {"status": "no worker takes work"}
    assert response["Retry-After"]


def test_readyz_is_200_after_a_recent_sweep(client):
    pulse(seconds_ago=10)

    assert client.get("/readyz").status_code == 200


def test_readyz_is_503_while_sweeping_workers_take_no_work(client, project):
    factories.run(factories.experiment(project))
    Job.objects.update(created_at=timezone.now() - timedelta(minutes=5))
    pulse(seconds_ago=10)

    assert client.get("/readyz").status_code == 503

    scoring.claim()
    assert client.get("/readyz").status_code == 200


@pytest.mark.parametrize(("seconds", "goes_on"), [(30, True), (-30, False)])
def test_a_worker_that_is_busy_for_long_counts_while_its_lease_is_good(seconds, goes_on):
    until = timezone.now() + timedelta(seconds=seconds)
    Import.objects.create(filename="a.csv", stored_as="a", size=1, state="leased", lease_until=until)

    assert consumption.is_working(timedelta(seconds=60)) is goes_on
    assert consumption.has_waiting_work() is not goes_on


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("seconds_ago", "is_missing"), [(20, False), (60, True)])
def test_any_worker_asks_for_a_sweep_when_beat_is_gone(seconds_ago, is_missing):
    pulse(seconds_ago)

    assert watchdog.sweeps_are_missing() is is_missing


@pytest.mark.processes
def test_a_real_worker_sweeps_at_its_start(worker):
    wait_until(
        lambda: consumption.is_working(timedelta(seconds=60)), f"a pulse; the worker said\n{worker.output}"
    )


def test_a_worker_is_silent_until_it_takes_a_message_or_has_one_in_hand(monkeypatch):
    now = 0.0
    monkeypatch.setattr(watchdog.time, "monotonic", lambda: now)
    silence = watchdog.Silence()
    now = 100.0
    assert silence.seconds() == 100

    signals.task_received.send(sender=None)
    assert silence.seconds() == 0
    now = 150.0
    assert silence.seconds() == 50

    monkeypatch.setattr(watchdog.state, "active_requests", {"one that goes on"})
    assert silence.seconds() == 0


@pytest.mark.processes
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("work_waits", [True, False])
def test_a_worker_that_hears_nothing_while_work_waits_ends_itself(project, redis, tmp_path, work_waits):
    """It listens to a queue without messages, and its patience is two seconds."""
    if work_waits:
        factories.run(factories.experiment(project))
    worker = impatient_worker(redis, tmp_path, "-Q", "elsewhere")
    try:
        worker.wait_for("ready.", STARTED)
        if work_waits:
            assert worker.wait() == 1
            assert "this worker received nothing for 2.0 s: it shuts down" in worker.output
        else:
            with pytest.raises(subprocess.TimeoutExpired):
                worker.wait(seconds=6)
    finally:
        worker.end()


@pytest.mark.processes
@pytest.mark.django_db(transaction=True)
def test_a_worker_that_ends_gives_back_its_long_chunk(project, broker, redis, tmp_path):
    """It needs a minute for a chunk, and has two seconds to end."""
    worker = impatient_worker(redis, tmp_path, FAULTS_PAUSE="60")
    try:
        worker.wait_for("ready.", STARTED)
        experiment = factories.experiment(project)
        for variant in ("one", "another", "a third"):  # some messages wait inside the worker
            factories.run(experiment, variant=variant)
        wait_until(lambda: Chunk.objects.filter(state="leased").exists(), "it has a chunk")

        end_sent_at = timezone.now()
        worker.send(signal.SIGTERM)

        assert worker.wait() == 0
        leases = Chunk.objects.exclude(lease_until=None).values_list("lease_until", flat=True)
        assert max(leases) <= end_sent_at + timedelta(seconds=10)
    finally:
        worker.end()


@pytest.mark.processes
@pytest.mark.django_db(transaction=True)
def test_a_worker_that_ends_does_not_wait_for_a_slow_server(project, broker, redis, settings, tmp_path):
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]
    over = threading.Event()
    with closing(Stub(lambda request: over.wait(25) and embedded(request))) as stub:
        worker = impatient_worker(redis, tmp_path, EVALSITE_PROVIDER_ALLOWED_HOSTS="127.0.0.1")
        try:
            worker.wait_for("ready.", STARTED)
            connections.create(project, None, "slow", stub.url)
            factories.run(factories.experiment(project, "semantic_similarity"))
            wait_until(lambda: stub.requests, "the server is asked")

            end_sent_at = timezone.now()
            worker.send(signal.SIGTERM)

            assert worker.wait(10) == 0
            assert Chunk.objects.get().lease_until <= end_sent_at + timedelta(seconds=10)
        finally:
            worker.end()
            over.set()


def impatient_worker(
    redis: processes.Redis, folder: Path, *flags: str, **variables: str
) -> processes.Process:
    command = [sys.executable, "-m", "celery", "--quiet", "-A", "tests.faults.worker", "worker"]
    env = {"DATABASE_URL": processes.database_url(), "BROKER_URL": redis.url, "FAULTS_PATIENCE": "2"}
    return processes.Process(
        [*command, "--concurrency", "1", *flags], folder / "worker.log", **env | variables
    )
