"""Whether this worker is shutting down: its main process says so, and its children see it at once."""

import mmap

# One byte that the children share, because they are forked after this module was imported. It needs no lock, which a
# killed child could keep for ever.
_begun = mmap.mmap(-1, 1)


def begin() -> None:
    _begun[0] = 1


def has_begun() -> bool:
    return _begun[0] == 1
