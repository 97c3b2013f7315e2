"""The caches of one process: thread-safe, each bounded, and all together within one budget of bytes."""

import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import update_wrapper
from itertools import count, islice
from threading import RLock
from typing import Any, Generic, NamedTuple, ParamSpec, TypeVar
from weakref import WeakSet

from evaluations import long_arrays

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
P = ParamSpec("P")

SAMPLE = 32  # members of a large container that are measured; the others count as their mean
MOST_MEASURED = 2_000  # objects of one value
OVERHEAD = 200  # bytes that a cache needs for an entry
MEGABYTE = 1_000_000

_lock = RLock()
_ticks = count()


class Use(NamedTuple):
    """What a cache holds: its name for people, entries and their estimated bytes."""

    name: str
    entries: int
    bytes: int


class Budget:
    """The registry of all caches of this process; beyond `limit` bytes, what was used longest ago leaves first."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._caches: WeakSet[ProcessCache[Any, Any]] = WeakSet()

    def add(self, cache: "ProcessCache[Any, Any]") -> None:
        with _lock:
            self._caches.add(cache)

    @property
    def used(self) -> int:
        """Estimated bytes in all caches."""
        with _lock:
            return sum(cache.bytes for cache in self._caches)

    def uses(self) -> list[Use]:
        """What each cache that holds anything holds, largest first."""
        with _lock:
            uses = [Use(cache.name, len(cache), cache.bytes) for cache in self._caches if len(cache)]
        return sorted(uses, key=lambda use: -use.bytes)

    def keep(self) -> None:
        """Evict until the sum is within the limit."""
        with _lock:
            while self.used > self.limit:
                filled = [cache for cache in self._caches if len(cache)]
                min(filled, key=lambda cache: cache.oldest).evict()

    def clear(self) -> None:
        """Empty all caches."""
        with _lock:
            for cache in self._caches:
                cache.clear()


budget = Budget(200 * MEGABYTE)  # until the settings are read


@dataclass
class _Entry(Generic[V]):
    value: V
    size: float
    bytes: int
    used: int


def _equal_size(value: object) -> int:
    return 1


class ProcessCache(Generic[K, V]):
    """A cache of recently used values, whose `size`s sum to at most `limit`; by default each value counts 1.

    `name` is for people; `weigh` gives the bytes of a value. Readers hold their own references, so a value that is
    evicted meanwhile stays usable for them.
    """

    def __init__(
        self,
        name: str,
        limit: float,
        size: Callable[[V], float] = _equal_size,
        weigh: Callable[[V], int] | None = None,
    ) -> None:
        self.name, self._limit, self._size = name, limit, size
        self._weigh: Callable[[V], int] = weigh or footprint
        self._entries: OrderedDict[K, _Entry[V]] = OrderedDict()  # the entry used longest ago comes first
        self.size: float = 0  # the sum of the sizes of all values
        self.bytes = 0
        budget.add(self)

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def oldest(self) -> int:
        """When the entry that would leave next was used; larger is later."""
        return next(iter(self._entries.values())).used

    def get(self, key: K) -> V | None:
        with _lock:
            return self._used(key) if key in self._entries else None

    def get_many(self, keys: Iterable[K]) -> dict[K, V]:
        """The cached values of these keys."""
        with _lock:
            return {key: self._used(key) for key in keys if key in self._entries}

    def _used(self, key: K) -> V:
        entry = self._entries[key]
        entry.used = next(_ticks)
        self._entries.move_to_end(key)
        return entry.value

    def put(self, key: K, value: V) -> None:
        self.put_many({key: value})

    def put_many(self, values: Mapping[K, V]) -> None:
        """Cache the values, except those larger than the whole cache."""
        sizes = {key: self._size(value) for key, value in values.items()}
        entries = {
            key: _Entry(value, sizes[key], OVERHEAD + footprint(key) + self._weigh(value), 0)
            for key, value in values.items()
            if sizes[key] <= self._limit
        }
        with _lock:
            for key, entry in entries.items():
                self._remove(key)
                entry.used = next(_ticks)
                self._entries[key] = entry
                self.size += entry.size
                self.bytes += entry.bytes
                while self.size > self._limit:
                    self.evict()
            budget.keep()

    def evict(self) -> None:
        """Remove the entry that was used longest ago."""
        self._remove(next(iter(self._entries)))

    def _remove(self, key: K) -> None:
        if entry := self._entries.pop(key, None):
            self.size -= entry.size
            self.bytes -= entry.bytes

    def clear(self) -> None:
        with _lock:
            self._entries.clear()
            self.size = self.bytes = 0


class Remembered(Generic[P, V]):
    """A function whose results are kept in a cache, by its arguments."""

    def __init__(self, function: Callable[P, V], cache: ProcessCache[Any, tuple[V]]) -> None:
        self._function, self.cache = function, cache
        update_wrapper(self, function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> V:
        key = (args, *sorted(kwargs.items()))
        kept = self.cache.get(key)
        if kept is None:
            kept = (self._function(*args, **kwargs),)
            self.cache.put(key, kept)
        return kept[0]


class remembered:
    """Decorates a function of data: `lru_cache` within the budget. At most `most` results are kept."""

    def __init__(self, name: str, most: int, weigh: Callable[[Any], int] | None = None) -> None:
        self._name, self._most, self._weigh = name, most, weigh

    def __call__(self, function: Callable[P, V]) -> Remembered[P, V]:
        weigh = self._weigh
        of_kept = (lambda kept: weigh(kept[0])) if weigh else None
        return Remembered(function, ProcessCache(self._name, self._most, weigh=of_kept))


def footprint(value: object) -> int:
    """The bytes that a value keeps in memory: an estimate, for which parts of large containers are measured."""
    return _Scale().weigh(value)


class _Scale:
    def __init__(self) -> None:
        self.seen: set[int] = set()

    def weigh(self, value: object) -> int:
        if id(value) in self.seen or len(self.seen) >= MOST_MEASURED or isinstance(value, type):
            return 0
        self.seen.add(id(value))
        if isinstance(nbytes := getattr(value, "nbytes", None), int):
            return OVERHEAD + (0 if long_arrays.is_in_file(value) else nbytes)
        own = sys.getsizeof(value)
        if isinstance(value, str | bytes | int | float):
            return own
        if isinstance(value, Mapping):
            return own + self._sampled(len(value), (part for pair in value.items() for part in pair), 2)
        if isinstance(value, list | tuple | set | frozenset):
            return own + self._sampled(len(value), value)
        return own + sum(map(self.weigh, _attributes(value)))

    def _sampled(self, length: int, parts: Iterable[object], each: int = 1) -> int:
        """The bytes of all parts, of which there are `each` for a member; those of the first members stand for all."""
        measured = min(length, SAMPLE)
        weight = sum(map(self.weigh, islice(parts, measured * each)))
        return weight * length // measured if measured else 0


def _attributes(value: object) -> Iterator[object]:
    yield from getattr(value, "__dict__", {}).values()
    for slot in getattr(type(value), "__slots__", ()):
        with suppress(AttributeError):
            yield getattr(value, slot)
