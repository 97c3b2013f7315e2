"""Large and packed files are read one after another, so that many at once take the memory of one."""

import gzip
import io
import os
from threading import Event, Thread

import pytest

from evaluations.access import limits
from evaluations.errors import TooManyRequests
from evaluations.imports.uploads import turns

SMALL = b"question,answer\n1 + 1,2\n"
LARGE = b"x" * (turns.LIGHT + 1)


@pytest.fixture
def reading(monkeypatch):
    """Another thread is reading a large file, and nobody waits for it."""
    monkeypatch.setattr(turns, "PATIENCE", 0)
    with limits.FILES:
        yield


@pytest.mark.parametrize(
    "content",
    [LARGE, gzip.compress(SMALL, mtime=0), b"PAR1", b"PK\x03\x04"],
    ids=["large", "gzip", "Parquet", "zip"],
)
def test_a_large_or_packed_file_is_not_read_beside_another(reading, content):
    with pytest.raises(TooManyRequests), turns.turn(io.BytesIO(content)):
        pass


def test_a_small_text_needs_no_turn(reading):
    file = io.BytesIO(SMALL)

    with turns.turn(file):
        assert file.read() == SMALL


def test_a_file_waits_for_its_turn():
    waiting, has_read = Event(), Event()

    class Waiting(io.BytesIO):
        def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
            waiting.set()
            return super().seek(offset, whence)

    def read() -> None:
        with turns.turn(Waiting(LARGE)):
            has_read.set()

    with limits.FILES:
        thread = Thread(target=read)
        thread.start()
        assert waiting.wait(30)
        assert not has_read.is_set()
    thread.join(30)

    assert has_read.is_set()
