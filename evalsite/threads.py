"""The thread pools of the web server."""

from collections import Counter
from threading import Condition, Thread
from typing import Protocol


class Task(Protocol):
    """Something to do for a client; a connection with pipelined requests has several `requests`."""

    def service(self) -> object: ...


class Threads:
    """At most `maximum` threads, of which one client can hold `of_one_client`; the next starts when all are busy.

    A connection with pipelined requests lets all others pass: browsers never send a request before the last one was
    answered, and a few clients that do could fill the queue. Each thread keeps a database connection with its own
    cache: fewer threads mean fewer and warmer caches.
    """

    def __init__(self, maximum: int, of_one_client: int | None = None) -> None:
        self.maximum, self.of_one_client = maximum, of_one_client or maximum
        self._waiting: list[Task] = []
        self._running = Counter[object]()
        self._changed = Condition()
        self._threads, self._is_over = 0, False

    @property
    def busy(self) -> int:
        """The number of running tasks."""
        return self._running.total()

    def add_task(self, task: Task) -> None:
        with self._changed:
            self._waiting.append(task)
            self._changed.notify()
            if self._threads < min(self.maximum, self.busy + len(self._waiting)):
                self._threads += 1
                Thread(target=self._serve, daemon=True).start()

    def end(self) -> None:
        """Let running tasks end, and begin no more."""
        with self._changed:
            self._is_over = True
            self._changed.notify_all()

    def _serve(self) -> None:
        try:
            while task := self._next():
                client = _client(task)
                try:
                    task.service()
                finally:
                    self._finish(client)
        finally:
            self._threads -= 1

    def _next(self) -> Task | None:
        """Wait for a task whose turn it is, and count it as running; None at the end."""
        with self._changed:
            while not self._is_over:
                if task := self._first():
                    self._waiting.remove(task)
                    self._running[_client(task)] += 1
                    return task
                self._changed.wait()
        return None

    def _first(self) -> Task | None:
        allowed = [task for task in self._waiting if self._running[_client(task)] < self.of_one_client]
        return min(allowed, key=_sends_ahead, default=None)

    def _finish(self, client: object) -> None:
        with self._changed:
            self._running -= Counter([client])
            self._changed.notify()


def _client(task: Task) -> object:
    return getattr(task, "client", None) or task


def _sends_ahead(task: Task) -> bool:
    return len(getattr(task, "requests", ())) > 1
