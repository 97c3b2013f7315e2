"""/healthz, /readyz and the watchdog."""

import signal
import subprocess
import sys
import threading
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from celery import signals
from django.utils import timezone

from evalsite.management.commands import up
from evaluations.engine import consumption, queue
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


@pytest.mark.parametrize(("seconds_ago", "status"), [(40, 200), (50, 503)])
def test_readyz_is_red_when_the_last_sweep_is_older_than_three_intervals(client, seconds_ago, status):
    pulse(seconds_ago)

    response = client.get("/readyz")

    assert response.status_code == status
    assert response.json() == {"status": "ok" if status == 200 else "no recent sweep"}
    assert ("Retry-After" in response) == (status == 503)


@pytest.mark.parametrize(("metric", "queue"), [("exact_match", "work"), ("semantic_similarity", "calls")])
def test_readyz_names_the_queue_whose_work_nobody_takes(client, project, metric, queue):
    connections.create(project, None, "a server", "https://api.example.com/v1")
    factories.run(factories.experiment(project, metric))
    Job.objects.update(created_at=timezone.now() - timedelta(minutes=5))
    pulse(seconds_ago=10)

    assert client.get("/readyz").json() == {"status": f"no worker takes work of the queue {queue}"}

    scoring.claim()
    assert client.get("/readyz").status_code == 200


def test_a_worker_of_another_queue_does_not_hide_that_work_waits(client, project):
    factories.run(factories.experiment(project))
    Job.objects.update(created_at=timezone.now() - timedelta(minutes=5))
    pulse(seconds_ago=10)

    consumption.report(["calls", "files"])

    assert client.get("/readyz").json() == {"status": "no worker takes work of the queue work"}


def test_work_that_rests_waits_for_no_worker(client, project):
    run = factories.run(factories.experiment(project))
    Job.objects.update(created_at=timezone.now() - timedelta(minutes=5))
    pulse(seconds_ago=10)

    queue.rest(Job.objects.all(), 600, run.pk)

    assert client.get("/readyz").status_code == 200


@pytest.mark.parametrize(("seconds", "is_stalled"), [(30, False), (-30, True)])
def test_a_worker_that_is_busy_for_long_counts_while_its_lease_is_good(seconds, is_stalled):
    until = timezone.now() + timedelta(seconds=seconds)
    long_ago = timezone.now() - timedelta(hours=1)
    for state in ("leased", "ready"):
        Import.objects.create(
            filename="a.csv", stored_as="a", size=1, state=state, lease_until=until, created_at=long_ago
        )

    assert consumption.stalled_queue(timedelta(seconds=60)) == ("files" if is_stalled else "")
    assert consumption.is_left_lying(["work", "files"], timedelta(seconds=60)) is is_stalled
    assert consumption.has_waiting_work(["files"])
    assert not consumption.has_waiting_work(["work", "calls"])


@pytest.mark.parametrize(("seconds_ago", "is_missing"), [(20, False), (60, True)])
def test_any_worker_asks_for_a_sweep_when_beat_is_gone(seconds_ago, is_missing, monkeypatch):
    pulse(seconds_ago)
    sent = []
    monkeypatch.setattr(watchdog.hints, "publish", lambda *message: sent.append(message))

    watchdog.look("worker@here", ["work"], silence=0)

    assert bool(sent) is is_missing


def test_a_worker_reports_itself_and_signs_off(monkeypatch):
    pulse(0)
    watchdog.look("worker@here", ["work"], silence=0)
    [seen] = consumption.workers()

    consumption.sign_off("worker@here")

    assert (seen.name, seen.is_missing, consumption.workers()) == ("worker@here", False, [])


def test_workers_that_are_gone_for_a_day_are_forgotten():
    for name, hours in {"worker@lost": 25, "worker@missing": 23}.items():
        Pulse.objects.create(name=name, at=timezone.now() - timedelta(hours=hours))

    consumption.forget_workers()

    assert [(seen.name, seen.is_missing) for seen in consumption.workers()] == [("worker@missing", True)]


@pytest.mark.parametrize("queues", [["work", "files"], ["calls"], ["sweeps"]])
def test_an_idle_worker_hardly_asks_the_database(queues, django_assert_max_num_queries):
    """Each of many does so twice a minute; PostgreSQL is asked for its time as well."""
    pulse(0)
    watchdog.look("worker@here", queues, silence=1_000)

    with django_assert_max_num_queries(16):
        watchdog.look("worker@here", queues, silence=1_000)


@pytest.mark.processes
def test_a_real_worker_sweeps_at_its_start(worker):
    wait_until(consumption.is_swept, f"a pulse; the worker said\n{worker.output}")
    assert consumption.are_present(timedelta(seconds=60))
    wait_until(consumption.workers, "it is named")


def test_a_start_waits_for_the_slowest_worker_however_early_the_others_reported(monkeypatch):
    seconds = iter((0, 60, 120))  # on the clock: the start, and twice a look
    monkeypatch.setattr(up, "time", SimpleNamespace(monotonic=lambda: next(seconds)))
    monkeypatch.setattr(up, "connection", SimpleNamespace(close=bool))  # this one is the test's
    for name in ("sweep", *consumption.QUEUES):
        Pulse.objects.create(name=name, at=timezone.now() - timedelta(seconds=90))

    are_ready = up.workers_that_report_from_now_on()

    assert [are_ready(), are_ready()] == [False, True]


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
    worker = impatient_worker(redis, tmp_path, "-Q", "work")
    try:
        worker.wait_for("ready.", STARTED)
        if work_waits:
            assert worker.wait(STARTED) == 1
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
        assert consumption.workers() == []  # nobody needs to look for it
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
            factories.paid_run(factories.experiment(project, "semantic_similarity"))
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


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_a_probe_may_name_the_machine_as_it_likes(client, path):
    """Load balancers send its address; other pages refuse it."""
    assert client.get(path, headers={"Host": "10.42.8.201:8000"}).status_code in (200, 503)
    assert client.get("/signin/", headers={"Host": "10.42.8.201:8000"}).status_code == 400
