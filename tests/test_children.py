"""Child processes for what could hold the interpreter."""

import ctypes
import os
import re
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from evaluations import children
from evaluations.evaluators import apart

pytestmark = pytest.mark.processes


@pytest.fixture
def pool():
    started = children.Pool(2)
    yield started
    started.close()


def hold(seconds: int) -> None:
    """Hold the interpreter's lock, as C code does that never releases it."""
    ctypes.PyDLL(None).sleep(seconds)


def doubled(text: str) -> str:
    return text * 2


def refuse() -> None:
    raise ValueError("refused")


def die() -> None:
    os._exit(1)


def take(megabytes: int) -> int:
    return len(bytearray(megabytes * 1_000_000))


def test_large_arguments_and_results_pass(pool):
    assert pool.run(30, doubled, "é" * 3_000_000) == "é" * 6_000_000


def test_an_exception_arrives_and_the_child_stays(pool):
    child = pool.run(30, os.getpid)
    with pytest.raises(ValueError, match="refused"):
        pool.run(30, refuse)

    assert pool.run(30, os.getpid) == child != os.getpid()


def test_a_call_that_takes_too_long_is_killed_while_this_process_goes_on(pool):
    pool.run(30, os.getpid)
    late = []
    stop = threading.Event()

    def look() -> None:
        last = time.monotonic()
        while not stop.wait(0.01):
            late.append(time.monotonic() - last)
            last = time.monotonic()

    looking = threading.Thread(target=look)
    looking.start()
    with pytest.raises(children.TooSlow):
        pool.run(1, hold, 60)
    stop.set()
    looking.join()

    assert max(late) < 0.5
    assert pool.run(30, doubled, "a") == "aa"


def test_a_call_that_takes_too_much_memory_is_refused(pool):
    assert pool.run(30, take, 100) == 100_000_000
    with pytest.raises(children.TooMuchMemory):
        pool.run(30, take, 400)

    assert pool.run(30, take, 100) == 100_000_000


def test_a_child_that_dies_is_replaced(pool):
    with pytest.raises(children.TooMuchMemory):
        pool.run(30, die)

    assert pool.run(30, doubled, "a") == "aa"


def test_calls_beyond_the_size_wait_and_are_refused_in_time(pool):
    with ThreadPoolExecutor(3) as threads:
        first = [threads.submit(pool.run, 10, time.sleep, 4) for _ in range(2)]
        time.sleep(0.5)
        with pytest.raises(children.Busy):
            pool.run(0.5, doubled, "a")
        assert [call.result() for call in first] == [None, None]


def test_children_import_no_django(pool):
    modules = pool.run(30, loaded_modules)

    assert "evaluations.kinds" in modules
    assert not [name for name in modules if re.match(r"(django|rest_framework|celery)\b", name)]


def loaded_modules() -> list[str]:
    assert apart
    return list(sys.modules)
