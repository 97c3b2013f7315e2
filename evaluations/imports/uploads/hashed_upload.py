"""Hashes large files while they are being received, in another thread."""

import fcntl
import hashlib
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import MemoryFileUploadHandler, TemporaryFileUploadHandler

PIECE = 1024 * 1024  # bytes
READ_AT_ONCE = 256 * 1024  # bytes; with Django's 64 kB, an upload takes a quarter more processor time
_threads = ThreadPoolExecutor(2, "hash")  # The first upload starts the threads; idle ones cost nothing.


class SmallUpload(MemoryFileUploadHandler):
    """Django's upload handler for files that stay in memory."""

    chunk_size = READ_AT_ONCE  # Django reads with the smallest chunk size of all handlers.


class HashedUpload(TemporaryFileUploadHandler):
    """Django's upload handler for large files; its file also has a `sha256`, in hexadecimal.

    Hashing afterwards would take a third of the upload's time. hashlib lets other threads run meanwhile.
    """

    chunk_size = READ_AT_ONCE

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        # Locked while this process works on the file, so that files of killed processes can be recognised.
        fcntl.flock(self.file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._digest, self._piece = hashlib.sha256(), bytearray()
        self._hashing = _threads.submit(self._digest.update, b"")

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        super().receive_data_chunk(raw_data, start)
        self._piece += raw_data
        if len(self._piece) >= PIECE:
            self._hash()

    def file_complete(self, file_size: int) -> "UploadedFile[Any]":
        self._hash()
        self._hashing.result()
        file = super().file_complete(file_size)
        assert file is not None  # Django's own handler of large files always returns one
        file.sha256 = self._digest.hexdigest()  # type: ignore[attr-defined] # read by `uploads.park`
        return file

    def _hash(self) -> None:
        """Hash the piece once the previous one is hashed, so that a fast client cannot fill the memory."""
        self._hashing.result()
        self._hashing, self._piece = _threads.submit(self._digest.update, self._piece), bytearray()
