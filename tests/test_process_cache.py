"""The cache shared by threads."""

from concurrent.futures import ThreadPoolExecutor

from evaluations.process_cache import ProcessCache


def test_the_value_used_longest_ago_leaves_first():
    cache = ProcessCache[str, str](2)
    cache.put_many({"a": "1", "b": "2"})
    cache.get("a")

    cache.put("c", "3")

    assert cache.get_many("abc") == {"a": "1", "c": "3"}


def test_the_size_sums_the_sizes_of_values():
    cache = ProcessCache[str, bytes](10, len)

    cache.put_many({"a": b"12345", "b": b"123456"})

    assert cache.get_many("ab") == {"b": b"123456"}
    assert cache.size == 6


def test_a_value_larger_than_the_cache_is_left_out():
    cache = ProcessCache[str, bytes](3, len)
    cache.put("a", b"1")

    cache.put("b", b"1234")

    assert cache.get_many("ab") == {"a": b"1"}


def test_threads_neither_fail_nor_get_the_value_of_another_key():
    cache = ProcessCache[int, int](5)

    def use(start: int) -> bool:
        for n in range(2_000):
            keys = [(start + n + k) % 12 for k in range(4)]
            cache.put_many({key: key for key in keys})
            if any(key != value for key, value in cache.get_many(keys).items()):
                return False
        return cache.size <= 5

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(use, range(8)))
