"""The threads of the web server that serve requests."""

from collections import deque
from typing import Any

from waitress.task import ThreadedTaskDispatcher


class Waiting(deque[Any]):
    """Tasks that wait for a thread: a connection that has sent further requests ahead lets all others pass.

    Browsers never send a request before the last one was answered; few connections that do could fill the queue.
    """

    def popleft(self) -> Any:
        place = next((place for place, task in enumerate(self) if not _sends_ahead(task)), 0)
        task = self[place]
        del self[place]
        return task


def _sends_ahead(task: object) -> bool:
    return len(getattr(task, "requests", ())) > 1


class Threads(ThreadedTaskDispatcher):
    """At most `maximum` threads; each is started when all others are busy.

    A thread keeps a connection to the database with a cache of its own: few threads are few caches, which are warm.
    """

    def __init__(self, maximum: int) -> None:
        super().__init__()
        self.maximum = maximum
        self.queue = Waiting()

    def add_task(self, task: object) -> None:
        with self.lock:
            self.queue.append(task)
            self.queue_cv.notify()
            waiting = len(self.queue) + self.active_count - len(self.threads)
            if waiting <= 0:
                return
            if len(self.threads) < self.maximum:
                self._start_one()
            else:
                self.queue_logger.warning("Task queue depth is %d", waiting)

    def _start_one(self) -> None:
        number = len(self.threads)
        self.threads.add(number)
        self.active_count += 1
        self.start_new_thread(self.handler_thread, number)
