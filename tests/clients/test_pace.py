"""The pace of one server, with a simulated clock, server and board."""

import heapq
import random
from collections import deque
from dataclasses import dataclass, field

import httpx2
import pytest

from evaluations.clients import rate_limits
from evaluations.clients.limit import Limit
from evaluations.clients.pace import Pace
from evaluations.clients.rate_limits import Allowance, Left

STANDS = (0.1, 0.5)  # seconds


@dataclass
class Board:
    """The limit in memory, as `evaluators.pacing` has it in the database."""

    known: Limit = field(default_factory=Limit)
    period: int = 0
    taken: int = 0
    takers: int = 0
    before: int = 1

    def limit(self):
        return self.known

    def take(self, number, period, calls):
        if number != self.known.number:
            return None
        if self.period < period:
            self.before = max(1, self.takers) if self.period in (0, period - 1) else 1
            self.period, self.taken, self.takers = period, 0, 0
        mine = max(0, min(calls - self.taken, -(-calls // self.before)))
        self.taken += mine
        self.takers += 1
        return mine

    def change(self, limit):
        if self.known.number != limit.number - 1:
            return False
        self.known, self.period, self.taken = limit, 0, 0
        return True


@dataclass
class Process:
    """One process: it looks at its calls every 15 to 35 ms, asks refused ones again after the pause."""

    pace: Pace
    ended: list = field(default_factory=list)
    again: list = field(default_factory=list)
    under_way: int = 0


@dataclass
class Simulation:
    """A server that accepts `limit` calls in any second and answers after `latency` seconds.

    A process `stands` for up to half a second after this share of its turns, as on a busy machine.
    """

    limit: int
    calls: int
    latency: tuple[float, float] = (0.3, 1.0)
    retry_after: float = 1.0
    processes: int = 1
    in_flight: int = 64
    headers: bool = False
    stands: float = 0.0
    refused: int = 0
    made: int = 0
    seconds: float = 0.0

    def run(self):
        chance, board, waiting, done = random.Random(1), Board(), self.calls, 0
        accepted, on_the_way = deque(), []
        processes = [Process(Pace(8, self.in_flight, board, wall=1e6)) for _ in range(self.processes)]
        turns = [(0.0, number) for number in range(self.processes)]
        while done < self.calls:
            now, number = heapq.heappop(turns)
            process = processes[number]
            while on_the_way and on_the_way[0][0] <= now:
                arrives, made, call, sender = heapq.heappop(on_the_way)
                while accepted and accepted[0] <= arrives - 1.0:
                    accepted.popleft()
                is_accepted = len(accepted) < self.limit
                if is_accepted:
                    accepted.append(arrives)
                left = Left(
                    Allowance(self.limit - len(accepted), self.limit, len(accepted) / self.limit), None
                )
                ends = arrives + (chance.uniform(*self.latency) if is_accepted else 0.01)
                heapq.heappush(sender.ended, (ends, made, call, left if is_accepted else None))
            while process.ended and process.ended[0][0] <= now:
                _, _, call, left = heapq.heappop(process.ended)
                process.under_way -= 1
                if left:
                    process.pace.answered(now, left if self.headers else None)
                    done, self.seconds = done + 1, now
                else:
                    process.pace.refused(now, self.retry_after, call)
                    self.refused += 1
                    heapq.heappush(process.again, now + self.retry_after * chance.uniform(1, 1.1))
            for _ in range(process.pace.room(process.under_way, now)):
                if process.again and process.again[0] <= now:
                    heapq.heappop(process.again)
                elif waiting:
                    waiting -= 1
                else:
                    break
                self.made += 1
                process.under_way += 1
                arrives = now + chance.uniform(0.001, 0.02)
                heapq.heappush(on_the_way, (arrives, self.made, process.pace.sent(now), process))
            stands = chance.uniform(*STANDS) if chance.random() < self.stands else 0.0
            heapq.heappush(turns, (now + chance.uniform(0.015, 0.035) + stands, number))
        return self

    @property
    def used(self):
        """The share of the allowed calls that were answered."""
        return self.calls / self.seconds / self.limit

    @property
    def refused_share(self):
        return self.refused / self.made


@pytest.mark.parametrize(
    "server",
    [
        Simulation(50, 5_000),
        Simulation(50, 5_000, latency=(0.05, 0.1)),
        Simulation(50, 5_000, retry_after=0.0),
        Simulation(20, 3_000),
        Simulation(200, 20_000, in_flight=256),
        Simulation(50, 5_000, processes=2),
        Simulation(50, 5_000, processes=2, retry_after=0.0),
        Simulation(50, 5_000, processes=3),
        Simulation(50, 5_000, headers=True),
        Simulation(50, 5_000, processes=2, stands=0.01),
    ],
    ids=[
        "usual",
        "fast",
        "no Retry-After",
        "slow",
        "large",
        "two",
        "two, no Retry-After",
        "three",
        "headers",
        "two on a busy machine",
    ],
)
def test_a_server_with_a_limit_is_used_by_nine_tenths_and_refuses_few_calls(server):
    server.run()

    # Beginning takes some seconds, which is a larger part of a short simulation.
    assert server.used >= (0.9 if server.limit == 50 and server.processes < 3 and not server.stands else 0.8)
    assert server.refused_share <= 0.05


def test_a_server_that_states_its_limits_refuses_hardly_any_call():
    assert Simulation(50, 2_000, headers=True).run().refused_share < Simulation(50, 2_000).run().refused_share


def test_without_refusals_the_pace_rises_to_its_limit():
    pace = Pace(8, 64, Board())

    for _ in range(4_000):
        pace.answered(0.0)

    assert pace.room(0, 0.0) == 64


def test_trouble_halves_the_calls_in_flight_once_a_second():
    pace = Pace(32, 64, Board())

    for _ in range(10):
        pace.failed(5.0)

    assert pace.room(0, 5.0) == 16


def test_one_error_among_many_answers_is_chance():
    """If each error halved the pace, one in fifty would leave a tenth of the calls in flight."""
    pace = Pace(32, 32, Board())
    for _ in range(20):
        pace.answered(5.0)

    pace.failed(5.0)

    assert pace.room(0, 5.0) == 32


@pytest.mark.parametrize("pause", [1.0, 30.0])
def test_a_pause_that_a_server_asks_for_holds_all_processes(pause):
    board = Board()
    pace, other = (Pace(8, 64, board, wall=1e6) for _ in range(2))

    pace.refused(10.0, pause, pace.sent(9.9))

    assert [of_process.room(0, 9.9 + pause) for of_process in (pace, other)] == [0, 0]
    assert sum(of_process.room(0, 10.1 + pause) for of_process in (pace, other)) > 0


def test_an_error_of_the_server_with_a_pause_holds_the_connection_too():
    pace = Pace(8, 64, Board(), wall=1e6)

    pace.failed(10.0, retry_after=2.0)

    assert pace.room(0, 11.9) == 0
    assert pace.room(0, 12.1) > 0


def test_the_first_refusal_takes_back_the_slices_of_all_processes():
    board = Board(Limit(1, 50.0, 1e6 - 10, is_sure=True))
    pace, other = (Pace(32, 64, board, wall=1e6) for _ in range(2))
    assert pace.room(0, 1.0) + other.room(0, 1.0) > 0
    call = pace.sent(1.0)

    pace.refused(1.01, 0.0, call)

    assert board.known.number == 2
    assert board.take(1, 1_000_001, 50) is None


def test_a_process_that_got_no_call_of_a_slice_pauses_until_it_ends():
    board = Board(Limit(1, 2.0, 1e6, is_sure=True))
    first, other = (Pace(8, 64, board, wall=1e6) for _ in range(2))

    first.room(0, 2.0)  # It takes all calls of the slice, which lasts from 0 to 10.

    assert other.room(0, 2.0) == 0
    assert other.pause(2.0) == pytest.approx(8.0)
    assert other.room(0, 10.1) > 0


def test_a_process_with_calls_left_pauses_until_the_next_is_due():
    board = Board(Limit(1, 0.5, 1e6, is_sure=True), period=9_999, takers=2)
    pace = Pace(8, 64, board, wall=1e6)
    assert pace.room(0, 0.0) == 1  # of half of the fifty of a hundred seconds
    pace.sent(0.0)

    assert pace.room(0, 0.5) == 0
    assert pace.pause(0.5) == pytest.approx(3.5)
    assert pace.room(0, 4.1) == 1


def test_a_server_that_refuses_everything_and_names_no_time_is_still_asked():
    """Its limit cannot be known otherwise, and a launch must not stand for minutes once the server recovers."""
    board = Board()
    pace = Pace(8, 64, board, wall=1e6)

    for second in range(60):
        pace.refused(second + 0.1, 0.0, pace.sent(float(second)))

    assert board.known.rate >= 2


def test_calls_that_were_sent_before_a_change_change_nothing_again():
    board = Board()
    pace = Pace(64, 64, board, wall=1e6)
    calls = [pace.sent(1.0 + n / 100) for n in range(60)]

    for call in calls[-5:]:
        pace.refused(1.7, 1.0, call)

    # Of the 60 calls of a second, 5 were refused at last.
    assert 55 <= board.known.rate <= 56


def test_two_processes_that_find_a_limit_together_add_what_each_could_call():
    board = Board()
    processes = [Pace(64, 64, board, wall=1e6) for _ in range(2)]
    calls = [[pace.sent(1.0 + n / 30) for n in range(26)] for pace in processes]

    for pace, sent in zip(processes, calls, strict=True):
        pace._looked_at = 1.89
        pace.refused(1.9, 1.0, sent[-1])

    assert board.known.rate == 50


def test_calls_of_a_second_process_that_turn_out_refused_are_taken_from_its_part():
    board = Board()
    processes = [Pace(64, 64, board, wall=1e6) for _ in range(2)]
    calls = [[pace.sent(1.0 + n / 40) for n in range(36)] for pace in processes]

    for late in range(11):
        for pace, sent in zip(processes, calls, strict=True):
            pace._looked_at = 1.89
            pace.refused(1.9 + late / 100, 1.0, sent[-1 - late])

    assert board.known.rate == 50


def test_a_rate_that_held_does_not_fall_because_calls_came_late_together():
    board = Board(Limit(1, 50.0, 1e6 - 60, is_sure=True))
    pace = Pace(64, 64, board, wall=1e6)
    pace.room(0, 0.0)
    calls = [pace.sent(1.0 + n / 1_000) for n in range(50)]

    for call in calls[-20:]:
        pace.refused(1.1, 1.0, call)

    assert board.known.rate == 50
    assert pace.room(0, 1.9) == 0


def test_a_server_that_lowers_its_limit_is_heard_within_seconds():
    board = Board(Limit(1, 50.0, 1e6 - 60, is_sure=True))
    pace = Pace(64, 64, board, wall=1e6)
    for second in (1.0, 4.0, 7.0):
        pace.room(0, second)
        calls = [pace.sent(second + n / 40) for n in range(40)]
        for call in calls[20::2] + calls[21::2]:
            pace.refused(second + 1.0, 1.0, call)

    assert board.known.rate < 45


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after-ms": "250", "Retry-After": "1"}, 0.25),
        ({"Retry-After": "2.5"}, 2.5),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"Retry-After": "soon"}, None),
        ({"retry-after-ms": "soon", "Retry-After": "3"}, 3.0),
        ({}, None),
    ],
)
def test_a_pause_is_read_from_its_headers(headers, seconds):
    assert rate_limits.retry_after(httpx2.Headers(headers)) == seconds


def test_the_limits_of_openai_are_read_from_its_headers():
    """Values of its documentation: after 1 of 60 requests the rest is back in a second."""
    headers = httpx2.Headers(
        {
            "x-ratelimit-limit-requests": "60",
            "x-ratelimit-limit-tokens": "150000",
            "x-ratelimit-remaining-requests": "59",
            "x-ratelimit-remaining-tokens": "149984",
            "x-ratelimit-reset-requests": "1s",
            "x-ratelimit-reset-tokens": "6m0s",
        }
    )

    left = rate_limits.left_of(headers)

    assert left == Left(Allowance(59, 60, 1), Allowance(149_984, 150_000, 360))
    assert left.requests.per_second == 1


@pytest.mark.parametrize("value", ["", "many", "-1", "1e9", "9" * 400])
def test_limits_that_cannot_be_read_are_ignored(value):
    headers = {f"x-ratelimit-{name}-requests": value for name in ("limit", "remaining", "reset")}

    assert rate_limits.left_of(httpx2.Headers(headers)) is None


def test_tokens_that_run_out_slow_the_calls_down():
    board = Board()
    pace = Pace(16, 64, board, wall=1e6)

    pace.answered(1.0, Left(None, Allowance(1_000, 60_000, 59)), tokens=100)

    assert 9 < board.known.rate <= 10  # 1 000 tokens come back each second, and a call takes 100
