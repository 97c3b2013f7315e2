"""What an evaluation has done so far, on disk: an answer that was paid for outlives the process that asked for it."""

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from .errors import Mistaken


def folder() -> Path:
    """Where this package keeps what it can get again: evalsite in XDG_CACHE_HOME, by default ~/.cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "evalsite"


def digest(*parts: Any) -> str:
    """A name for a file about these parts."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:32]


class Journal:
    """A file of JSON lines that one process at a time appends to. Only its owner can read it."""

    def __init__(self, *about: Any) -> None:
        self.path = self.path_of(*about)
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.file = self._opened()

    @staticmethod
    def path_of(*about: Any) -> Path:
        return folder() / "evaluations" / f"{digest(*about)}.jsonl"

    def _opened(self) -> IO[str]:
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        file = os.fdopen(descriptor, "r+", encoding="utf-8")
        try:
            _lock(descriptor)
        except OSError as error:
            file.close()
            raise Mistaken(
                "Another process is evaluating this variant. Wait for it, or give another variant."
            ) from error
        return file

    def entries(self) -> Iterator[dict[str, Any]]:
        """Everything that was appended; a line that a killed process left unfinished is passed over."""
        self.file.seek(0)
        for line in self.file:
            with contextlib.suppress(ValueError):
                entry = json.loads(line)
                if isinstance(entry, dict):
                    yield entry

    def append(self, entry: dict[str, Any]) -> None:
        """Write an entry, at once, so that it outlives this process. A line that lacks its end is ended first."""
        self.file.write(f"{json.dumps(entry, ensure_ascii=False)}\n")
        self.file.flush()

    def begin(self) -> None:
        """End a line that a killed process left unfinished."""
        size = self.file.seek(0, os.SEEK_END)
        if size:
            self.file.write("\n")

    def clear(self) -> None:
        """Forget everything."""
        self.file.truncate(0)

    def close(self, *, remove: bool = False) -> None:
        if remove:
            self.path.unlink(missing_ok=True)
        self.file.close()


def _lock(descriptor: int) -> None:
    """Hold the file until it is closed; raises `OSError` if another process holds it. Windows has no such lock."""
    if os.name == "posix":
        fcntl = import_module("fcntl")
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
