"""A flag that this worker is shutting down, set by its main process and visible to its children at once."""

import mmap

# One byte of shared memory: the children are forked after this module was imported. It needs no lock, which a killed
# child could hold for ever.
_begun = mmap.mmap(-1, 1)


def begin() -> None:
    _begun[0] = 1


def has_begun() -> bool:
    return _begun[0] == 1
