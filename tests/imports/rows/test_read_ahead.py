"""An iterator in a process of its own: same items, same errors, one item ahead; the process ends with its consumer."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from evaluations.imports.rows.read_ahead import ProcessEnded, read_ahead
from evaluations.ingest import FileError
from tests import processes

ENDLESS = """
import itertools, os
from evaluations.imports.rows.read_ahead import read_ahead

def pids():
    yield os.getpid()
    for number in itertools.count():
        yield [number] * 100_000

for item in read_ahead(pids):
    if isinstance(item, int):
        print(item, flush=True)
"""


def squares(numbers: range) -> Iterator[int]:
    for number in numbers:
        yield number * number


def one_then(problem: Exception) -> Iterator[int]:
    yield 1
    raise problem


def pids() -> Iterator[int]:
    while True:
        yield os.getpid()


def one_then_nothing_for_long() -> Iterator[int]:
    yield os.getpid()
    time.sleep(30)


def noted(paths: list[Path]) -> Iterator[int]:
    for number, path in enumerate(paths):
        path.touch()
        yield number


def test_the_items_come_in_their_order():
    assert list(read_ahead(squares, range(1_000))) == [number * number for number in range(1_000)]


def test_the_items_come_from_another_process():
    with closing(read_ahead(pids)) as items:
        assert next(items) != os.getpid()


def test_an_error_of_the_iterator_keeps_its_message_and_location():
    items = read_ahead(one_then, FileError("encoding", "Line 3: no text.", {"line": 3}, "Save it as UTF-8."))

    assert next(items) == 1
    with pytest.raises(FileError) as raised:
        next(items)
    error = raised.value
    assert (error.code, error.message, error.where) == ("encoding", "Line 3: no text.", {"line": 3})
    assert error.hint == "Save it as UTF-8."


def test_the_next_item_is_made_while_the_last_is_used(tmp_path):
    paths = [tmp_path / "first", tmp_path / "second"]
    with closing(read_ahead(noted, paths)) as items:
        next(items)

        processes.wait_until(paths[1].exists, "the second item")


def test_a_killed_process_is_no_normal_end():
    items = read_ahead(pids)
    os.kill(next(items), signal.SIGKILL)

    with pytest.raises(ProcessEnded):
        list(items)


def test_the_process_ends_with_an_iterator_that_is_closed():
    items = read_ahead(one_then_nothing_for_long)
    pid, began = next(items), time.monotonic()

    items.close()

    assert not Path(f"/proc/{pid}").exists()
    assert time.monotonic() - began < 20


@pytest.mark.long
def test_the_process_ends_when_its_parent_is_killed():
    parent = subprocess.Popen([sys.executable, "-c", ENDLESS], stdout=subprocess.PIPE, text=True)
    pid = int(parent.stdout.readline())

    parent.kill()
    parent.wait()

    processes.wait_until(lambda: not Path(f"/proc/{pid}").exists(), "the end of the process")
