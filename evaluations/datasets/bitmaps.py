"""Sets of positions as bitmaps, the form in which the database stores them."""

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]


def packed(positions: NDArray[np.int64]) -> bytes:
    slots = np.zeros(int(positions.max(initial=0)), np.bool_)
    slots[positions - 1] = True
    return np.packbits(slots).tobytes()


def unpacked(bits: bytes, length: int) -> Mask:
    """The bitmap as a mask of positions 1 to `length` (position p at index p − 1); False after the last bit."""
    slots = np.unpackbits(np.frombuffer(bytes(bits), np.uint8))[:length]
    return np.pad(slots, (0, length - len(slots))).astype(np.bool_)


def holds(bits: bytes, positions: NDArray[np.integer]) -> Mask:
    """For each of `positions`, whether its bit is set."""
    octets = np.frombuffer(bytes(bits), np.uint8)
    octet_indices, shifts = (positions - 1) >> 3, 7 - ((positions - 1) & 7)
    is_within = octet_indices < len(octets)
    mask = np.zeros(len(positions), np.bool_)
    mask[is_within] = (octets[octet_indices[is_within]] >> shifts[is_within].astype(np.uint8)) & 1
    return mask


def positions(bits: bytes) -> NDArray[np.int64]:
    """The set positions, ascending."""
    return np.flatnonzero(np.unpackbits(np.frombuffer(bytes(bits), np.uint8))) + 1
