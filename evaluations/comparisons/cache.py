"""Figures of compared columns, kept until one of them is scored again.

A process keeps what it used last, and the cache what any process found: Redis where the broker is one. Without
it, or while it is away, every process computes for itself. Kept under the ids of scorings and their jobs, which
never change once the jobs have ended, and under `FORMULAS`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from typing import Any

import orjson
from django.core.cache import cache
from redis import RedisError

from evaluations.statistics.paired import Paired

FORMULAS = 1  # Goes up when the same columns would give other figures.
MOST = 2_000
SECONDS = 7 * 24 * 3600
Key = tuple[Any, ...]
_kept: dict[Key, Paired] = {}


def find(keys: Sequence[Key]) -> dict[Key, Paired]:
    """Those that are kept."""
    found = {key: _kept[key] for key in keys if key in _kept}
    names = {_name(key): key for key in keys if key not in found}
    if names:
        there = {names[name]: _unpack(text) for name, text in _stored(list(names)).items()}
        _remember(there)
        found |= there
    return found


def keep(found: Mapping[Key, Paired]) -> None:
    _remember(found)
    try:
        cache.set_many({_name(key): _pack(paired) for key, paired in found.items()}, SECONDS)
    except RedisError:
        return


def _stored(names: Sequence[str]) -> dict[str, bytes]:
    try:
        return cache.get_many(names)
    except RedisError:
        return {}


def _remember(found: Mapping[Key, Paired]) -> None:
    _kept.update(found)
    while len(_kept) > MOST:
        _kept.pop(next(iter(_kept)), None)


def _name(key: Key) -> str:
    return f"compared:{FORMULAS}:{sha256(repr(key).encode()).hexdigest()}"


def _pack(paired: Paired) -> bytes:
    return orjson.dumps(asdict(paired))


def _unpack(text: bytes) -> Paired:
    told = orjson.loads(text)
    interval = told.pop("interval")
    return Paired(**told, interval=tuple(interval) if interval else None)
