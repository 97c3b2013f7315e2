"""The client's wait survives a restart of the server."""

import threading

import pytest

from evalsite_client import Client
from evaluations.scoring import scoring
from tests import factories, processes

pytestmark = [pytest.mark.processes, pytest.mark.django_db(transaction=True)]


def test_a_wait_outlives_a_restart_of_the_server(project, key, tmp_path, unused_port):
    run = factories.run(factories.experiment(project))
    first = processes.web(tmp_path / "first.log", unused_port)
    away, ended = threading.Event(), []
    site = Client(f"http://127.0.0.1:{unused_port}", key, on_retry=lambda reason: away.set())
    state_seen = threading.Event()
    waiter = threading.Thread(
        target=lambda: ended.append(
            site.wait("run", run.pk, timeout=120, on_state=lambda state: state_seen.set())
        )
    )
    waiter.start()
    try:
        assert state_seen.wait(30)
        first.end()
        assert away.wait(30)
        while scoring.work(seconds=10):
            pass
        second = processes.web(tmp_path / "second.log", unused_port)
        waiter.join(60)
        second.end()
    finally:
        first.end()
        site.close()

    assert [job["status"] for job in ended] == ["completed"]
