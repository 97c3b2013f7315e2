"""A thread-safe cache of one process, bounded in size."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from threading import Lock
from typing import Generic, TypeVar

from cachetools import LRUCache

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


def _equal_size(value: object) -> int:
    return 1


class ProcessCache(Generic[K, V]):
    """A cache of recently used values, whose `size`s sum to at most `limit`; by default each value counts 1.

    Readers hold their own references, so a value that is evicted meanwhile stays usable for them.
    """

    def __init__(self, limit: float, size: Callable[[V], float] = _equal_size) -> None:
        self._values: LRUCache[K, V] = LRUCache(limit, size)
        self._size = size
        self._lock = Lock()

    def get(self, key: K) -> V | None:
        with self._lock:
            return self._values.get(key)

    def get_many(self, keys: Iterable[K]) -> dict[K, V]:
        """The cached values of these keys."""
        with self._lock:
            return {key: self._values[key] for key in keys if key in self._values}

    def put(self, key: K, value: V) -> None:
        self.put_many({key: value})

    def put_many(self, values: Mapping[K, V]) -> None:
        """Cache the values, except those larger than the whole cache."""
        with self._lock:
            for key, value in values.items():
                if self._size(value) <= self._values.maxsize:
                    self._values[key] = value

    def clear(self) -> None:
        with self._lock:
            self._values.clear()

    @property
    def size(self) -> float:
        """The sum of the sizes of all values."""
        with self._lock:
            return self._values.currsize
