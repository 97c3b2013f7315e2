"""A cache of comparison results, valid until one of the runs is scored again, and for a while during a scoring.

Each process keeps the results it used last. A shared cache (Redis, if that is the broker) serves all processes; without
it, each computes its own. Keys are ids of scorings and their jobs, which never change once the jobs have ended, and
`FORMULAS`. The shared cache has a fixed number of entries, because Redis also holds the messages to workers and never
evicts; a result replaces the one under its key.
"""

from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from threading import RLock
from time import monotonic
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from django.core.cache import cache
from pydantic import TypeAdapter, ValidationError
from redis import RedisError

from evaluations.process_cache import ProcessCache

FORMULAS = 23  # Increase it when figures from the same columns, or the shape of results, change.
MOST_BYTES = 64_000_000
SECONDS = 7 * 24 * 3600
ENTRIES = 1_000  # of results of about ten kilobytes
LONG = 0.5  # seconds from which on a result is kept although its scores still change
TIMES = 10  # as long as it took, such a result is shown
Key = tuple[Any, ...]
T = TypeVar("T")


def _bytes(entry: tuple[int, Any]) -> int:
    """The bytes of a result in memory, from its packed ones: to measure its thousands of parts takes 2 ms."""
    return 4 * entry[0]


process_cache: ProcessCache[str, tuple[int, Any]] = ProcessCache(
    "figures of comparisons", MOST_BYTES, _bytes, _bytes
)
passing_cache: ProcessCache[str, tuple[float, Any]] = ProcessCache("figures during a scoring", 100)
_turns: WeakValueDictionary[str, RLock] = WeakValueDictionary()


def cached(key: Key, kind: type[T], compute: Callable[[], T]) -> T:
    """The cached result; if it is missing, the computed one, which is then cached."""
    name = _name(key, kind)
    with _turn(name):
        stored = process_cache.get(name)
        if stored is None:
            stored = _shared(name, kind) or _computed(name, kind, compute)
            process_cache.put(name, stored)
    result: T = stored[1]
    return result


def passing(key: Key, kind: type[T], compute: Callable[[], T]) -> T:
    """The result while its scores still change; one that took long is at most ten times as old as that.

    Otherwise each reader of a million examples would compute them for each page, beside the scoring.
    """
    name = _name(key, kind)
    with _turn(name):
        kept = passing_cache.get(name)
        if kept is not None and monotonic() < kept[0]:
            found: T = kept[1]
            return found
        began = monotonic()
        result = compute()
        took = monotonic() - began
        if took > LONG:
            passing_cache.put(name, (monotonic() + TIMES * took, result))
    return result


def _turn(name: str) -> RLock:
    """The lock of a result: of several readers one computes it, and the others wait for it."""
    return _turns.setdefault(name, RLock())


def cached_result(key: Key, kind: type[T]) -> T | None:
    """The cached result; None if there is none."""
    name = _name(key, kind)
    stored = process_cache.get(name) or _shared(name, kind)
    if stored is None:
        return None
    process_cache.put(name, stored)
    result: T = stored[1]
    return result


def _name(key: Key, kind: type[Any]) -> str:
    return sha256(repr((FORMULAS, kind.__name__, key)).encode()).hexdigest()


def _shared_key(name: str) -> str:
    return f"compared:{int(name, 16) % ENTRIES}"


def _computed(name: str, kind: type[T], compute: Callable[[], T]) -> tuple[int, T]:
    result = compute()
    packed = _adapter(kind).dump_json(result)
    with suppress(RedisError):
        cache.set(_shared_key(name), (name, packed), SECONDS)
    return len(packed), result


def _shared(name: str, kind: type[T]) -> tuple[int, T] | None:
    try:
        stored_name, packed = cache.get(_shared_key(name)) or ("", b"")
        return (len(packed), _adapter(kind).validate_json(packed)) if stored_name == name else None
    except (RedisError, ValidationError):
        return None


_adapters: dict[str, TypeAdapter[Any]] = {}


def _adapter(kind: type[T]) -> TypeAdapter[T]:
    """The pydantic adapter for a type of result; cached, because building it takes a moment."""
    if kind.__name__ not in _adapters:
        _adapters[kind.__name__] = TypeAdapter(kind)
    return _adapters[kind.__name__]
