"""Runs all work that waits for servers beside each other in one process, so that no server delays what calls another.

A process of the queue `calls` has a thread for each kind of such work (launches, trials, embeddings), with its own
connection to the database. It ends when none of them has anything to do.
"""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass

from django.db import connection

from . import queue, shutdown

LOOK_EVERY = 0.5  # seconds between two looks for new work of a kind that had none
LAST_SECONDS = 1.0  # for threads to give back their leases when they are interrupted

Work = Callable[[], bool]  # works for some seconds; True if more may wait


@dataclass
class Caller:
    """One kind of work, in a thread of its own until `over` is set; it sets `looked` after each look for work."""

    work: Work
    over: threading.Event
    looked: threading.Event
    is_busy: bool = True

    def run(self) -> None:
        try:
            while not self.over.is_set():
                self.is_busy = self.work()
                self.looked.set()
                if not self.is_busy:
                    self.over.wait(LOOK_EVERY)
        finally:
            self.is_busy = False
            connection.close()


def run(works: Sequence[Work]) -> None:
    """Do all work of these kinds that waits, all kinds at once; raises the first problem of any of them."""
    over, looked = threading.Event(), threading.Event()
    shutdown.resume()
    callers = [Caller(work, over, looked) for work in works]
    pool = ThreadPoolExecutor(len(callers), thread_name_prefix="caller")
    threads = [pool.submit(caller.run) for caller in callers]
    for thread in threads:
        thread.add_done_callback(
            lambda _: looked.set()
        )  # its problem can be seen from now on, and not before
    try:
        while any(caller.is_busy for caller in callers):
            looked.wait()
            looked.clear()
            for thread in threads:
                if thread.done():
                    thread.result()  # raises what ended it
    except BaseException as problem:
        shutdown.interrupt()
        over.set()
        wait(threads, LAST_SECONDS)
        queue.give_back_all(problem)
        raise
    finally:
        over.set()
        pool.shutdown(wait=not shutdown.is_interrupted(), cancel_futures=True)
