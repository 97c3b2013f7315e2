"""The line in which passwords wait to be checked."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack

import pytest
from redis import RedisError

from evaluations.access import password_line
from evaluations.access.password_line import Line
from evaluations.errors import TooManyRequests
from tests import processes


class ObservedLine(Line):
    changes = 0  # how often somebody came or went

    def _advance(self) -> None:
        super()._advance()
        self.changes += 1


class Visitors:
    """People who wait in a line in threads of their own, and note their names when their password is checked."""

    def __init__(self, line: ObservedLine, pool: ThreadPoolExecutor) -> None:
        self.line, self.pool, self.checked = line, pool, []

    def send(self, name: str, failures: int = 0, *, is_strange: bool = True) -> Future[None]:
        changes = self.line.changes
        visit = self.pool.submit(self._visit, name, failures, is_strange)
        processes.wait_until(lambda: self.line.changes > changes, f"{name} is in line")
        return visit

    def _visit(self, name: str, failures: int, is_strange: bool) -> None:
        with self.line.wait(failures, is_strange=is_strange):
            self.checked.append(name)


@pytest.fixture
def at_once() -> int:
    return 1


@pytest.fixture
def line(at_once) -> ObservedLine:
    return ObservedLine(at_once, room=3)


@pytest.fixture
def visitors(line) -> Iterator[Visitors]:
    with ThreadPoolExecutor() as pool:
        yield Visitors(line, pool)


@pytest.fixture
def busy(line) -> Iterator[ExitStack]:
    """A check is in progress until this is closed."""
    with ExitStack() as check:
        check.enter_context(line.wait(0))
        yield check


def test_those_with_the_fewest_failures_go_first(busy, visitors):
    for name, failures in [("guesser", 7), ("newcomer", 0), ("mistyper", 1)]:
        visitors.send(name, failures)
    busy.close()

    processes.wait_until(lambda: len(visitors.checked) == 3, "all were checked")
    assert visitors.checked == ["newcomer", "mistyper", "guesser"]


def test_people_on_their_own_devices_go_before_all_others(busy, visitors):
    for name, is_strange in [("owner", False), ("stranger", True)]:
        visitors.send(name, is_strange=is_strange)
    busy.close()

    processes.wait_until(lambda: len(visitors.checked) == 2, "both were checked")
    assert visitors.checked == ["owner", "stranger"]


@pytest.mark.parametrize("at_once", [2])
def test_a_guesser_waits_while_any_password_is_checked(line, visitors):
    with line.wait(0):
        guess = visitors.send("guesser", 1)
        visitors.send("newcomer").result(30)
        assert not guess.done()

    guess.result(30)


@pytest.mark.parametrize("at_once", [2])
def test_a_newcomer_does_not_wait_for_a_guesser(line, visitors):
    with line.wait(1):
        visitors.send("newcomer").result(30)


def test_the_worst_guesser_leaves_a_full_line(visitors, busy):
    worst, better, newcomer = visitors.send("worst", 9), visitors.send("better", 2), visitors.send("newcomer")
    visitors.send("another newcomer")

    with pytest.raises(TooManyRequests):
        worst.result(30)
    assert not better.done()
    assert not newcomer.done()


def test_nobody_waits_for_ever(busy, line, visitors, monkeypatch):
    monkeypatch.setattr(password_line, "PATIENCE", 0.01)
    visit = visitors.send("newcomer")

    with pytest.raises(TooManyRequests):
        visit.result(30)
    assert not line._waiting


def test_the_next_check_begins_after_one_that_failed(line):
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), line.wait(0):
            1 / 0


def test_attempts_of_an_address_count_as_failures_until_one_is_right():
    """Otherwise an address could send hundreds before the first of them is found to be wrong."""
    assert [password_line.count_attempt("192.0.2.1") for _ in range(3)] == [0, 1, 2]

    password_line.attempt_was_right("192.0.2.1")

    assert password_line.count_attempt("192.0.2.1") == 2
    assert password_line.count_attempt("192.0.2.2") == 0


def test_without_a_cache_nobody_is_a_guesser(monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise RedisError

    monkeypatch.setattr(password_line.cache, "add", fail)
    monkeypatch.setattr(password_line.cache, "decr", fail)
    password_line.attempt_was_right("192.0.2.1")

    assert [password_line.count_attempt("192.0.2.1") for _ in range(2)] == [0, 0]
