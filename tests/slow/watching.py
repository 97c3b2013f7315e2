"""How long other threads must wait for the interpreter, in seconds of this process's processor time.

Processor time does not depend on what else the machine does, so that a bound holds on a busy one, too.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

TICK = 0.001


class Watch:
    """`worst` is the longest wait so far, `spent` the processor time of the watched thread, `status` its answer."""

    def __init__(self) -> None:
        self.worst = self.spent = 0.0
        self.status = 0
        self.is_over = threading.Event()

    def look(self) -> None:
        while not self.is_over.is_set():
            before = time.process_time()
            time.sleep(TICK)
            self.worst = max(self.worst, time.process_time() - before)


@contextmanager
def watched() -> Iterator[Watch]:
    watch = Watch()
    thread = threading.Thread(target=watch.look)
    thread.start()
    began = time.thread_time()
    try:
        yield watch
    finally:
        watch.spent = time.thread_time() - began
        watch.is_over.set()
        thread.join()
