"""A thread beside an import, for what must go on while it reads or writes."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from threading import Event, Thread

from django.db import connection


@contextmanager
def repeated(work: Callable[[], bool], every: float, name: str) -> Iterator[None]:
    """Within this context, a thread calls `work` every so many seconds, as long as it returns True."""
    over = Event()

    def repeat() -> None:
        with closing(connection):  # A new connection, because each thread needs its own.
            while not over.wait(every) and work():
                pass

    thread = Thread(target=repeat, name=name)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
