"""Work that waits for servers, beside each other in one process."""

import threading
import time
from types import SimpleNamespace

import pytest
from django.db import connection

from evaluations.engine import callers, shutdown
from tests.processes import wait_until

pytestmark = pytest.mark.django_db(transaction=True)


def once(event: threading.Event):
    """Work that is there once."""

    def work() -> bool:
        is_new = not event.is_set()
        event.set()
        return is_new

    return work


def test_work_goes_on_while_a_server_lets_other_work_hang():
    over, done = threading.Event(), threading.Event()

    def hang() -> bool:
        assert over.wait(30)
        return False

    running = threading.Thread(target=callers.run, args=((hang, once(done)),))
    running.start()

    assert done.wait(10)
    assert running.is_alive()
    over.set()
    running.join(10)
    assert not running.is_alive()


def test_work_that_comes_while_other_work_goes_on_is_not_kept_waiting():
    over, later = threading.Event(), []

    def long_work() -> bool:
        return not over.wait(0.01)

    def late_work() -> bool:
        if later:
            over.set()
        return False

    running = threading.Thread(target=callers.run, args=((long_work, late_work),))
    running.start()
    later.append("a trial")

    wait_until(over.is_set, "the late work was done")
    running.join(10)


@pytest.fixture
def resumed():
    """Other tests of this process are not interrupted."""
    yield
    shutdown.resume()


@pytest.mark.parametrize("seconds", [0, 0.3])
def test_a_fault_of_one_kind_of_work_interrupts_the_others_and_is_raised(resumed, monkeypatch, seconds):
    ended = threading.Event()

    def close() -> None:
        time.sleep(seconds)  # the thread lives on
        connection.close()

    monkeypatch.setattr(callers, "connection", SimpleNamespace(close=close))

    def fail() -> bool:
        raise ZeroDivisionError

    def work() -> bool:
        while not shutdown.is_interrupted():
            time.sleep(0.01)
        ended.set()
        return True

    with pytest.raises(ZeroDivisionError):
        callers.run((work, fail))

    assert ended.wait(5)
