"""The number of threads that the web server starts."""

import threading
from collections.abc import Iterator

import pytest

from evalsite.threads import Threads
from tests.processes import wait_until

SOON = 30  # seconds


class Task:
    """Runs until it is released, in a thread that it records."""

    def __init__(self) -> None:
        self.runs, self.may_end = threading.Event(), threading.Event()
        self.thread = 0
        self.requests: list[str] = []

    def service(self) -> None:
        self.thread = threading.get_ident()
        self.runs.set()
        assert self.may_end.wait(SOON)


@pytest.fixture
def threads() -> Iterator[Threads]:
    threads = Threads(maximum=3)
    yield threads
    threads.end()


def started(threads: Threads) -> Task:
    task = Task()
    threads.add_task(task)
    assert task.runs.wait(SOON)
    return task


def test_tasks_one_after_another_share_a_thread(threads):
    used = set()
    for _ in range(5):
        task = started(threads)
        task.may_end.set()
        wait_until(lambda: threads.busy == 0, "the thread is free")
        used.add(task.thread)

    assert len(used) == 1


def test_tasks_at_once_have_a_thread_each(threads):
    tasks = [started(threads) for _ in range(3)]

    assert len({task.thread for task in tasks}) == 3
    for task in tasks:
        task.may_end.set()


def test_tasks_beyond_the_last_thread_wait_for_one(threads):
    tasks = [started(threads) for _ in range(3)]
    late = Task()
    late.may_end.set()
    threads.add_task(late)

    tasks[1].may_end.set()

    assert late.runs.wait(SOON)
    assert late.thread == tasks[1].thread
    for task in tasks:
        task.may_end.set()


def test_a_connection_that_sends_requests_ahead_lets_others_pass(threads):
    tasks = [started(threads) for _ in range(3)]
    ahead, second = Task(), Task()
    ahead.requests, second.requests = ["one", "another"], ["one"]
    for task in (ahead, second):
        threads.add_task(task)

    tasks[0].may_end.set()

    assert second.runs.wait(SOON)
    assert not ahead.runs.is_set()
    for task in (*tasks, ahead, second):
        task.may_end.set()
    assert ahead.runs.wait(SOON)
