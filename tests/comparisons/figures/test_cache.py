"""Results of comparisons, shared by all processes in a cache of a fixed size."""

import pytest
from django.core.cache import cache as shared

from evaluations.comparisons.figures import cache


@pytest.fixture(autouse=True)
def _empty():
    shared.clear()


def computed(number: int) -> int:
    return cache.cached((number,), int, lambda: number)


def test_another_process_finds_a_result():
    computed(7)
    cache.process_cache.clear()

    assert cache.cached_result((7,), int) == 7


def test_a_result_replaces_the_one_under_its_key(monkeypatch):
    """Redis never evicts, because it also holds the messages to workers."""
    monkeypatch.setattr(cache, "ENTRIES", 1)
    computed(1)
    computed(2)
    cache.process_cache.clear()

    assert [cache.cached_result((number,), int) for number in (1, 2)] == [None, 2]
