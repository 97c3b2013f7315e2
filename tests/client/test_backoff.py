"""Waits between attempts."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from evalsite_client.backoff import Backoff, retry_after


class Clock:
    """A clock that advances only by sleeping."""

    def __init__(self):
        self.now = 0.0
        self.pauses = []

    def sleep(self, seconds):
        self.pauses.append(seconds)
        self.now += seconds


def backoff(clock, patience):
    return Backoff(patience, sleep=clock.sleep, clock=lambda: clock.now)


def test_waits_grow_to_a_limit():
    clock = Clock()
    tries = backoff(clock, 10_000)

    for _ in range(12):
        assert tries.wait()

    assert [0.25 * 2**n <= pause <= 0.5 * 2**n for n, pause in enumerate(clock.pauses[:6])] == [True] * 6
    assert all(15 <= pause <= 30 for pause in clock.pauses[7:])


def test_the_server_says_how_long():
    clock = Clock()

    assert backoff(clock, 60).wait(7.0)
    assert clock.pauses == [7.0]


def test_patience_is_never_exceeded():
    clock = Clock()
    tries = backoff(clock, 60)

    while tries.wait():
        pass

    assert 30 <= clock.now <= 60


def test_a_wait_that_would_outlast_patience_is_not_begun():
    clock = Clock()

    assert not backoff(clock, 60).wait(61.0)
    assert clock.pauses == []


def test_patience_begins_with_the_first_failure():
    clock = Clock()
    tries = backoff(clock, 60)
    clock.now = 1_000.0

    assert tries.wait(50.0)


@pytest.mark.parametrize(
    ("header", "seconds"), [("0", 0), ("7", 7), (None, None), ("soon", None), ("-1", None), ("", None)]
)
def test_retry_after_in_seconds(header, seconds):
    assert retry_after(header) == seconds


def test_retry_after_as_a_date():
    then = datetime.now(UTC) + timedelta(hours=1)

    assert retry_after(format_datetime(then, usegmt=True)) == pytest.approx(3600, abs=60)
    assert retry_after("Mon, 01 Jan 2001 00:00:00 GMT") == 0
