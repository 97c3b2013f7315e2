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


class Visitors:
    """People who wait in a line in threads of their own, and note their names when their password is checked."""

    def __init__(self, line: Line, pool: ThreadPoolExecutor) -> None:
        self.line, self.pool, self.checked = line, pool, []

    def send(
        self, name: str, wrong_passwords: int = 0, *, address: str = "", is_strange: bool = True
    ) -> Future[None]:
        present = self.line._present.total()
        visit = self.pool.submit(self._visit, name, address or name, wrong_passwords, is_strange)
        processes.wait_until(
            lambda: visit.done() or self.line._present.total() > present, f"{name} is in line"
        )
        return visit

    def _visit(self, name: str, address: str, wrong_passwords: int, is_strange: bool) -> None:
        with self.line.wait(address, wrong_passwords, is_strange=is_strange):
            self.checked.append(name)


@pytest.fixture
def line() -> Line:
    return Line(at_once=2, room=3)


@pytest.fixture
def visitors(line) -> Iterator[Visitors]:
    with ThreadPoolExecutor() as pool:
        yield Visitors(line, pool)


@pytest.fixture
def busy(line) -> Iterator[ExitStack]:
    """As many checks as allowed are in progress until this is closed, one after the other."""
    with ExitStack() as checks:
        checks.enter_context(line.wait("first", 0))
        checks.enter_context(line.wait("second", 0))
        yield checks


def test_those_with_the_fewest_wrong_passwords_go_first(busy, visitors):
    for name, wrong_passwords in [("guesser", 7), ("newcomer", 0), ("mistyper", 1)]:
        visitors.send(name, wrong_passwords)
    busy.close()

    processes.wait_until(lambda: len(visitors.checked) == 3, "all were checked")
    assert visitors.checked == ["newcomer", "mistyper", "guesser"]


def test_people_on_their_own_devices_go_before_all_others(busy, visitors):
    for name, is_strange in [("owner", False), ("stranger", True)]:
        visitors.send(name, is_strange=is_strange)
    busy.close()

    processes.wait_until(lambda: len(visitors.checked) == 2, "both were checked")
    assert visitors.checked == ["owner", "stranger"]


def test_a_guesser_waits_while_any_password_is_checked(line, visitors):
    with line.wait("somebody", 0):
        guess = visitors.send("guesser", 1)
        visitors.send("newcomer").result(30)
        assert not guess.done()

    guess.result(30)


def test_a_newcomer_does_not_wait_for_a_guesser(line, visitors):
    with line.wait("guesser", 1):
        visitors.send("newcomer").result(30)


def test_several_passwords_at_once_from_one_address_count_as_wrong(busy, visitors):
    """Otherwise an address could send hundreds before the first of them is found to be wrong."""
    visitors.send("early", address="crowd")
    visitors.send("late", address="crowd")
    visitors.send("newcomer")
    busy.close()

    processes.wait_until(lambda: len(visitors.checked) == 3, "all were checked")
    assert visitors.checked == ["newcomer", "early", "late"]


def test_the_worst_guesser_leaves_a_full_line(busy, visitors):
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
        with pytest.raises(ZeroDivisionError), line.wait("somebody", 0):
            1 / 0


def test_wrong_passwords_are_counted_per_address():
    for _ in range(2):
        password_line.remember_wrong_password("192.0.2.1")

    assert password_line.wrong_passwords("192.0.2.1") == 2
    assert password_line.wrong_passwords("192.0.2.2") == 0


def test_without_a_cache_nobody_is_a_guesser(monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise RedisError

    monkeypatch.setattr(password_line.cache, "get", fail)
    monkeypatch.setattr(password_line.cache, "add", fail)
    password_line.remember_wrong_password("192.0.2.1")

    assert password_line.wrong_passwords("192.0.2.1") == 0
