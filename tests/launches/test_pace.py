"""The pace of a connection, with a simulated clock."""

import pytest

from evaluations.launches.pace import Pace

STEP = 0.05


def answers_a_second(limit: int, latency: float, busy: float = 0.0, seconds: int = 60) -> float:
    """Answers per second from a server that accepts `limit` calls a second, and refuses all at first."""
    pace, now, under_way, good = Pace(8, 64), 0.0, [], 0
    accepted_in = dict.fromkeys(range(seconds + 2), 0)
    while now < seconds:
        for arrives, accepted in [call for call in under_way if call[0] <= now]:
            under_way.remove((arrives, accepted))
            pace.answered(now) if accepted else pace.refused(now, retry_after=1.0)
            good += accepted
        calls = pace.room(len(under_way), now)
        pace.spend(calls, now)
        for _ in range(calls):
            accepted = now >= busy and accepted_in[int(now)] < limit
            accepted_in[int(now)] += accepted
            under_way.append((now + latency, accepted))
        now += STEP
    return good / seconds


@pytest.mark.parametrize("latency", [0.05, 0.3, 1.0])
def test_a_server_that_asks_for_fewer_calls_is_asked_near_its_limit(latency):
    limit = 50

    assert 0.9 * limit <= answers_a_second(limit, latency) <= limit


def test_a_server_that_was_busy_for_a_moment_is_soon_asked_near_its_limit_again():
    assert answers_a_second(50, 0.3, busy=2.0) >= 0.75 * 50


def test_without_refusals_the_pace_rises_to_its_limit():
    pace = Pace(8, 64)

    for _ in range(4_000):
        pace.answered(0.0)

    assert pace.room(0, 0.0) == 64


def test_trouble_halves_the_calls_in_flight_once_a_second():
    pace = Pace(32, 64)

    for _ in range(10):
        pace.failed(5.0)

    assert pace.room(0, 5.0) == 16


def test_one_error_among_many_answers_is_chance():
    """If each error halved the pace, one in fifty would leave a tenth of the calls in flight."""
    pace = Pace(32, 32)
    for _ in range(20):
        pace.answered(5.0)

    pace.failed(5.0)

    assert pace.room(0, 5.0) == 32


def test_a_long_pause_that_a_server_asks_for_is_kept():
    pace = Pace(8, 64)

    pace.refused(10.0, retry_after=30.0)

    assert pace.room(0, 39.0) == 0
    assert pace.room(0, 40.5) > 0
