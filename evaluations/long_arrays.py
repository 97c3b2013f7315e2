"""Arrays with a slot for each row of a long column, in a file without a name instead of the memory of the process.

The system writes such pages to the disk and drops them when memory is short, so what a process needs does not grow
with its columns. They are ordinary numpy arrays, and the file ends with the last of their views.
"""

import logging
import mmap
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from evaluations import full_disk

LONG = 1_000_000  # bytes; shorter arrays stay in memory
AT_ONCE = 1 << 16  # slots that are worked on at a time
Item = TypeVar("Item", bound=np.generic)
logger = logging.getLogger(__name__)


class Place:
    """The folder of the files, on a disk; None for the system's own folder of temporary files."""

    folder: Path | None = None


class Growing(Generic[Item]):
    """An array that grows at its end."""

    def __init__(self, dtype: type[Item]) -> None:
        self._room, self._length = np.empty(0, dtype), 0

    def extend(self, more: NDArray[Item]) -> None:
        end = self._length + len(more)
        if end > len(self._room):
            longer = zeros(max(end, 2 * len(self._room)), self._room.dtype.type)
            longer[: self._length] = self.values
            self._room = longer
        self._room[self._length : end] = more
        self._length = end

    @property
    def values(self) -> NDArray[Item]:
        return self._room[: self._length]


def zeros(length: int, dtype: type[Item]) -> NDArray[Item]:
    return filled(length, 0, dtype)


def filled(length: int, value: Any, dtype: type[Item]) -> NDArray[Item]:
    """An array in which every slot has this value; in memory if it is short, or if the disk is full."""
    size = length * np.dtype(dtype).itemsize
    if size < LONG:
        return np.full(length, value, dtype)
    try:
        return np.frombuffer(_mapped(size, np.full(AT_ONCE, value, dtype).tobytes()), dtype)
    except OSError as problem:
        if not full_disk.is_cause_of(problem):
            raise
        logger.warning("The disk has no room for %d bytes of a column, which stay in memory.", size)
        return np.full(length, value, dtype)


def is_in_file(array: object) -> bool:
    """Whether an array, or the one that it is a view of, is in such a file and so takes no memory of its own."""
    while isinstance(array, np.ndarray):
        array = array.base
    return isinstance(array, memoryview) and isinstance(array.obj, mmap.mmap)


def selected(values: NDArray[Item], mask: NDArray[np.bool_]) -> NDArray[Item]:
    """The values at a mask: `values[mask]`."""
    found, end = zeros(int(np.count_nonzero(mask)), values.dtype.type), 0
    for part in parts(len(values)):
        taken = values[part][mask[part]]
        begin, end = end, end + len(taken)
        found[begin:end] = taken
    return found


def taken(values: NDArray[Item], indices: NDArray[np.integer[Any]]) -> NDArray[Item]:
    """The values at these indices: `values[indices]`."""
    found = zeros(len(indices), values.dtype.type)
    for part in parts(len(indices)):
        found[part] = values[indices[part]]
    return found


def appended(values: NDArray[Item], value: Any) -> NDArray[Item]:
    longer = zeros(len(values) + 1, values.dtype.type)
    longer[:-1], longer[-1] = values, value
    return longer


def like(values: NDArray[Item]) -> NDArray[Item]:
    """An array of zeros with the same shape, as the place of a result (`out`)."""
    return zeros(values.size, values.dtype.type).reshape(values.shape)


def finite(columns: Sequence[NDArray[np.float64]]) -> NDArray[np.bool_]:
    """The mask of the rows in which every column is finite; at least one column is given."""
    mask = filled(len(columns[0]), True, np.bool_)
    for part in parts(len(mask)):
        for column in columns:
            mask[part] &= np.isfinite(column[part])
    return mask


def tally(codes: NDArray[np.uint8]) -> NDArray[np.int64]:
    """How often each byte occurs; at once, numpy would make eight bytes of each."""
    counts = np.zeros(256, np.int64)
    for part in parts(len(codes)):
        counts += np.bincount(codes[part], minlength=256)
    return counts


def parts(length: int) -> Iterator[slice]:
    return (slice(first, first + AT_ONCE) for first in range(0, length, AT_ONCE))


def _mapped(size: int, part: bytes) -> mmap.mmap:
    """A file of this size, which repeats the part."""
    with TemporaryFile(dir=Place.folder, buffering=0) as file:
        # Written, not only declared: a disk without room must say so here, because later it would end the process.
        for first in range(0, size, len(part)):
            _write(file.fileno(), memoryview(part)[: size - first])
        return mmap.mmap(file.fileno(), size)


def _write(descriptor: int, data: memoryview) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
