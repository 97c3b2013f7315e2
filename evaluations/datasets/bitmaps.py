"""Sets of positions as bits, as the database keeps them."""

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]  # A place for each slot: position - 1.


def packed(positions: NDArray[np.int64]) -> bytes:
    slots = np.zeros(int(positions.max(initial=0)), np.bool_)
    slots[positions - 1] = True
    return np.packbits(slots).tobytes()


def unpacked(bits: bytes, length: int) -> Mask:
    """The first `length` slots; those behind the last bit are not set."""
    slots = np.unpackbits(np.frombuffer(bytes(bits), np.uint8))[:length]
    return np.pad(slots, (0, length - len(slots))).astype(np.bool_)


def positions(bits: bytes) -> NDArray[np.int64]:
    """Ascending."""
    return np.flatnonzero(np.unpackbits(np.frombuffer(bytes(bits), np.uint8))) + 1
