"""The thread pool of the web server."""

from collections import deque
from typing import Any

from waitress.task import ThreadedTaskDispatcher


class Waiting(deque[Any]):
    """A queue of tasks in which a connection with pipelined requests lets all others pass.

    Browsers never send a request before the last one was answered; a few clients that do could fill the queue.
    """

    def popleft(self) -> Any:
        index = next((index for index, task in enumerate(self) if not _sends_ahead(task)), 0)
        task = self[index]
        del self[index]
        return task


def _sends_ahead(task: object) -> bool:
    return len(getattr(task, "requests", ())) > 1


class Threads(ThreadedTaskDispatcher):
    """At most `maximum` threads; a thread is started when all others are busy.

    Each thread keeps a database connection with its own cache: fewer threads mean fewer and warmer caches.
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
