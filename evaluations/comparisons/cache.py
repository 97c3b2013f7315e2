"""Figures of compared columns, kept until one of them is scored again.

A process keeps what it used last. The shared cache (Redis, where the broker is one) keeps what any process
computed; without it every process computes for itself. Keys are ids of scorings and their jobs, which never change
once the jobs have ended, and `FORMULAS`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from typing import Any

import orjson
from django.core.cache import cache
from redis import RedisError

from evaluations.process_cache import ProcessCache
from evaluations.statistics.paired import Paired

FORMULAS = 1  # Goes up when the same columns would give other figures.
MOST = 2_000
SECONDS = 7 * 24 * 3600
Key = tuple[Any, ...]
process: ProcessCache[Key, Paired] = ProcessCache(MOST)


def find(keys: Sequence[Key]) -> dict[Key, Paired]:
    """The figures that this process or the shared cache has."""
    known = process.get_many(keys)
    names = {_name(key): key for key in keys if key not in known}
    if names:
        shared = {names[name]: _unpack(text) for name, text in _shared(list(names)).items()}
        process.put_many(shared)
        known |= shared
    return known


def keep(figures: Mapping[Key, Paired]) -> None:
    process.put_many(figures)
    try:
        cache.set_many({_name(key): _pack(paired) for key, paired in figures.items()}, SECONDS)
    except RedisError:
        return


def _shared(names: Sequence[str]) -> dict[str, bytes]:
    try:
        return cache.get_many(names)
    except RedisError:
        return {}


def _name(key: Key) -> str:
    return f"compared:{FORMULAS}:{sha256(repr(key).encode()).hexdigest()}"


def _pack(paired: Paired) -> bytes:
    return orjson.dumps(asdict(paired))


def _unpack(text: bytes) -> Paired:
    fields = orjson.loads(text)
    interval = fields.pop("interval")
    return Paired(**fields, interval=tuple(interval) if interval else None)
