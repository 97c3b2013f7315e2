"""A flag that this worker is shutting down, set by its main process and visible to its children at once."""

import mmap
import threading

# One byte of shared memory: the children are forked after this module was imported. It needs no lock, which a killed
# child could hold for ever.
_begun = mmap.mmap(-1, 1)


def begin() -> None:
    _begun[0] = 1


def has_begun() -> bool:
    return _begun[0] == 1


# Whether the task of this process was interrupted: its threads give back their leases and end.
_interrupted = threading.Event()


class Interruption(Exception):
    """The task of this process was interrupted."""


def interrupt() -> None:
    _interrupted.set()


def resume() -> None:
    """Forget the interruption of an earlier task."""
    _interrupted.clear()


def is_interrupted() -> bool:
    return _interrupted.is_set()


def raise_if_interrupted() -> None:
    if _interrupted.is_set():
        raise Interruption
