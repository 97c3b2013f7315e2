"""The thread pools of the web server."""

from collections import Counter
from threading import Condition, Thread
from typing import Protocol


class Task(Protocol):
    """Something to do for a client; a connection with pipelined requests has several `requests`."""

    def service(self) -> object: ...


class Threads:
    """At most `maximum` threads, of which one client can hold `of_one_client`; the next starts when all are busy.

    Of a client's threads, one `person` can hold `of_one_person`, and whoever holds fewer is served first: many people
    may share an address. A connection with pipelined requests lets all others pass: browsers never send a request
    before the last one was answered, and a few clients that do could fill the queue. Each thread keeps a database
    connection with its own cache: fewer threads mean fewer and warmer caches.
    """

    def __init__(
        self, maximum: int, of_one_client: int | None = None, of_one_person: int | None = None
    ) -> None:
        self.maximum, self.of_one_client = maximum, of_one_client or maximum
        self.of_one_person = of_one_person or self.of_one_client
        self._waiting: list[Task] = []
        self._running: list[Task] = []
        self._changed = Condition()
        self._threads, self._is_over = 0, False

    @property
    def busy(self) -> int:
        """The number of running tasks."""
        return len(self._running)

    def holders(self) -> list[Task]:
        """The tasks that the task which is next waits for; empty if none waits."""
        with self._changed:
            if not self._waiting or self._first():
                return []
            running = Counter(map(_person, self._running))
            task = min(self._waiting, key=lambda task: running[_person(task)])
            for who, most in ((_person, self.of_one_person), (_client, self.of_one_client)):
                same = [one for one in self._running if who(one) == who(task)]
                if len(same) >= most:
                    return same
            return [*self._running]

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
                try:
                    task.service()
                finally:
                    self._finish(task)
        finally:
            self._threads -= 1

    def _next(self) -> Task | None:
        """Wait for a task whose turn it is, and count it as running; None at the end."""
        with self._changed:
            while not self._is_over:
                if task := self._first():
                    self._waiting.remove(task)
                    self._running.append(task)
                    return task
                self._changed.wait()
        return None

    def _first(self) -> Task | None:
        """The task that is next; None if all wait for others of their client or person."""
        clients, people = Counter(map(_client, self._running)), Counter(map(_person, self._running))
        allowed = [
            task
            for task in self._waiting
            if clients[_client(task)] < self.of_one_client and people[_person(task)] < self.of_one_person
        ]
        return min(allowed, key=lambda task: (_sends_ahead(task), people[_person(task)]), default=None)

    def _finish(self, task: Task) -> None:
        with self._changed:
            self._running = [one for one in self._running if one is not task]
            self._changed.notify()


def _client(task: Task) -> object:
    return getattr(task, "client", None) or task


def _person(task: Task) -> object:
    return getattr(task, "person", None) or _client(task)


def _sends_ahead(task: Task) -> bool:
    return len(getattr(task, "requests", ())) > 1
