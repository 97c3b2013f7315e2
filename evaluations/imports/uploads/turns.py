"""Turns in reading uploaded files, so that many at once take no more memory of a web process than one."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import BinaryIO

from evaluations.access import limits

LIGHT = 256 * 1024  # bytes of a text that takes little memory in any case
PACKED = (b"\x1f\x8b", b"PAR1", b"PK\x03\x04")  # how gzip, Parquet and zip files begin
PATIENCE = 20  # seconds that a file waits for those before it
BUSY = "Other large files are being read."


@contextmanager
def turn(file: BinaryIO) -> Iterator[None]:
    """Wait until no other large or packed file is being read in this process; a small text need not wait."""
    with nullcontext() if _is_light(file) else limits.one_of(limits.FILES, BUSY, PATIENCE):
        yield


def _is_light(file: BinaryIO) -> bool:
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    is_packed = file.read(4).startswith(PACKED)
    file.seek(0)
    return size <= LIGHT and not is_packed
