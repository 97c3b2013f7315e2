"""Interrupts formulas that take too much processor time, in the process that runs them.

Processor time is counted, not the clock's: a busy machine makes no formula wrong. Code in C that returns to no Python
for long is not interrupted; for that, the process that scores a single row ends itself after a minute.
"""

import faulthandler
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

AGAIN = 1.0  # seconds until the interrupt is repeated, if some code swallowed it
STUCK = 60.0  # seconds by the clock


class TooSlow(BaseException):
    """The time is over. Not an `Exception`, so that no formula takes it for a fault of its own."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise `TooSlow` in the block after these seconds of processor time; without effect outside the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGPROF, _interrupt)
    signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise TooSlow()


@contextmanager
def never_stuck() -> Iterator[None]:
    """End this process, with a trace in its log, if the block takes a minute: others go on with its work."""
    faulthandler.dump_traceback_later(STUCK, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
