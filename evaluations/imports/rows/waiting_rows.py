"""Rows that wait for the end of the file; many of them wait on disk, so that they take no memory."""

import pickle
from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from types import TracebackType
from typing import Self

from django.conf import settings

from .incoming import Pending

IN_MEMORY = 4_000_000  # bytes of rows that wait in memory


class WaitingRows:
    """Batches, in the order in which they were added."""

    def __enter__(self) -> Self:
        self._file = SpooledTemporaryFile(IN_MEMORY, dir=str(settings.FILE_UPLOAD_TEMP_DIR))
        self._batches = 0
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, pending: Pending) -> None:
        pickle.dump(pending, self._file, pickle.HIGHEST_PROTOCOL)
        self._batches += 1

    def batches(self) -> Iterator[Pending]:
        self._file.seek(0)
        for _ in range(self._batches):
            yield pickle.load(self._file)
