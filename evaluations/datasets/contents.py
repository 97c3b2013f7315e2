"""Digests of examples: equal if their parts are equal, however the JSON is formatted.

The order of columns does not count, and a missing column equals null. Types count: 1 is not "1".
"""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

import orjson

from evaluations.values import JSON, by_column

SIZE = 16  # bytes of a digest


def digests(parts: Mapping[str, Sequence[str]]) -> list[bytes]:
    """The digest of each example; `parts` are columns of JSON texts, as stored."""
    return [blake2b(row, digest_size=SIZE).digest() for row in _canonical(parts)]


def hashes(parts: Mapping[str, Sequence[str]], is_flat: bool) -> Iterator[int]:
    """64-bit hashes at half the cost of digests, for comparisons within one process and one file.

    In one of 30 million files with a million different examples, two have the same hash. Examples are flat if they all
    have the same columns in the same order and no nested values; their texts are then compared.
    """
    return map(hash, zip(*parts.values(), strict=True) if is_flat else _canonical(parts))


def _canonical(parts: Mapping[str, Sequence[str]]) -> Iterator[bytes]:
    columns = [_objects(part, texts) for part, texts in parts.items()]
    return (orjson.dumps(row, option=orjson.OPT_SORT_KEYS) for row in zip(*columns, strict=True))


def of_key(key: str) -> bytes:
    return blake2b(key.encode(), digest_size=SIZE, person=b"key").digest()


def names(keys: Sequence[str | None], content_digests: Sequence[bytes]) -> bytes:
    """Joined digests that identify examples: of their keys, or of their contents if they have no key."""
    return b"".join(
        text if key is None else of_key(key) for key, text in zip(keys, content_digests, strict=True)
    )


def _objects(part: str, texts: Sequence[str]) -> list[dict[str, JSON]]:
    joined = f"[{','.join(texts)}]".encode()
    values: list[Any] = orjson.loads(joined)
    if b"null" not in joined and set(map(type, values)) <= {dict}:
        return values
    return [_without_nulls(by_column(part, value)) for value in values]


def _without_nulls(cells: dict[str, JSON]) -> dict[str, JSON]:
    if None not in cells.values():
        return cells
    return {name: value for name, value in cells.items() if value is not None}
