"""The cache shared by threads."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from evaluations.process_cache import OVERHEAD, ProcessCache, budget, footprint, remembered


def test_the_value_used_longest_ago_leaves_first():
    cache = ProcessCache[str, str]("test", 2)
    cache.put_many({"a": "1", "b": "2"})
    cache.get("a")

    cache.put("c", "3")

    assert cache.get_many("abc") == {"a": "1", "c": "3"}


def test_the_size_sums_the_sizes_of_values():
    cache = ProcessCache[str, bytes]("test", 10, len)

    cache.put_many({"a": b"12345", "b": b"123456"})

    assert cache.get_many("ab") == {"b": b"123456"}
    assert cache.size == 6


def test_a_value_larger_than_the_cache_is_left_out():
    cache = ProcessCache[str, bytes]("test", 3, len)
    cache.put("a", b"1")

    cache.put("b", b"1234")

    assert cache.get_many("ab") == {"a": b"1"}


def test_threads_neither_fail_nor_get_the_value_of_another_key():
    cache = ProcessCache[int, int]("test", 5)

    def use(start: int) -> bool:
        for n in range(2_000):
            keys = [(start + n + k) % 12 for k in range(4)]
            cache.put_many({key: key for key in keys})
            if any(key != value for key, value in cache.get_many(keys).items()):
                return False
        return cache.size <= 5

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(use, range(8)))


@pytest.fixture
def limit(monkeypatch):
    """Sets the budget of all caches, in bytes."""
    budget.clear()
    return lambda size: monkeypatch.setattr(budget, "limit", size)


def test_all_caches_together_stay_within_the_budget(limit):
    limit(1_000_000)
    caches = [ProcessCache[int, bytes](name, 1_000_000) for name in "abc"]

    for n in range(300):
        caches[n % 3].put(n, bytes(10_000))

    assert 900_000 < budget.used <= 1_000_000
    assert budget.used == sum(cache.bytes for cache in caches)


def test_what_was_used_longest_ago_in_any_cache_leaves_first(limit):
    old, new = ProcessCache[str, bytes]("old", 100), ProcessCache[str, bytes]("new", 100)
    old.put_many({"a": bytes(1_000), "b": bytes(1_000)})
    new.put("c", bytes(1_000))
    old.get("a")

    limit(budget.used - 1)
    budget.keep()

    assert (old.get("a") is not None, old.get("b"), new.get("c") is not None) == (True, None, True)


def test_a_value_larger_than_the_budget_does_not_stay(limit):
    limit(1_000)
    cache = ProcessCache[str, bytes]("test", 100)

    cache.put("a", bytes(5_000))

    assert cache.get("a") is None
    assert budget.used == cache.bytes == cache.size == 0


def test_a_replaced_value_counts_once():
    cache = ProcessCache[str, bytes]("test", 10_000, len)

    cache.put("a", bytes(1_000))
    cache.put("a", bytes(2_000))

    assert cache.size == 2_000
    assert 2_000 < cache.bytes < 2_000 + 3 * OVERHEAD


def test_uses_name_each_filled_cache_largest_first():
    budget.clear()
    small, large = ProcessCache[str, bytes]("small", 10), ProcessCache[str, bytes]("large", 10)
    small.put("a", b"1")
    large.put("a", bytes(10_000))

    assert [(use.name, use.entries) for use in budget.uses()] == [("large", 1), ("small", 1)]


class Row:
    def __init__(self, text: str) -> None:
        self.text = text


@pytest.mark.parametrize(
    ("value", "least"),
    [
        ("x" * 5_000, 5_000),
        (np.zeros(1_000), 8_000),
        ([f"{n:0100}" for n in range(10_000)], 10_000 * 100),
        ({n: f"{n:0100}" for n in range(1_000)}, 1_000 * 100),
        ([Row(f"{n:0200}") for n in range(500)], 500 * 200),
        ((np.zeros(100), {"a": [np.zeros(100)]}), 1_600),
    ],
)
def test_the_footprint_is_at_least_the_contents_and_at_most_a_few_times_that(value, least):
    assert least <= footprint(value) <= 4 * least


def test_the_footprint_of_a_circle_ends():
    circle: list[object] = []
    circle.append(circle)

    assert footprint(circle) < 1_000


def test_a_function_is_remembered_by_its_arguments():
    calls = []

    @remembered("test", 2)
    def doubled(n: int, *, plus: int = 0) -> int | None:
        calls.append(n)
        return 2 * n + plus if n else None

    assert [doubled(1), doubled(1), doubled(1, plus=1), doubled(0), doubled(0)] == [2, 2, 3, None, None]
    assert calls == [1, 1, 0]
