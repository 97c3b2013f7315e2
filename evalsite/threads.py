"""The threads of the web server that serve requests."""

from waitress.task import ThreadedTaskDispatcher


class Threads(ThreadedTaskDispatcher):
    """At most `maximum` threads; each is started when all others are busy.

    A thread keeps a connection to the database with a cache of its own: few threads are few caches, which are warm.
    """

    def __init__(self, maximum: int) -> None:
        super().__init__()
        self.maximum = maximum

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
