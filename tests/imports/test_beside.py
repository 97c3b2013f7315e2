"""What goes on beside an import."""

from threading import Event
from threading import enumerate as enumerate_threads

from evaluations.imports import beside

LONG = 60  # seconds


def test_work_beside_an_import_is_repeated_until_the_import_is_over():
    calls, third = [], Event()

    def work() -> bool:
        calls.append(None)
        if len(calls) == 3:
            third.set()
        return True

    with beside.repeated(work, 0.001, "beside"):
        assert third.wait(LONG)

    assert "beside" not in [thread.name for thread in enumerate_threads()]


def test_work_that_is_no_longer_needed_is_not_repeated():
    calls, ended = [], Event()

    def work() -> bool:
        calls.append(None)
        ended.set()
        return False

    with beside.repeated(work, 0.001, "beside"):
        assert ended.wait(LONG)

    assert len(calls) == 1
