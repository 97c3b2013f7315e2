"""The differences between two versions of a dataset: examples added, changed and removed.

Examples are matched by identity, else by key, else by contents.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, Literal

import orjson

from evaluations import bulk
from evaluations.models import Dataset, Example
from evaluations.models.dataset import ExampleQuerySet
from evaluations.process_cache import ProcessCache
from evaluations.values import PARTS

from . import contents

Kind = Literal["added", "changed", "removed"]
AT_ONCE = 5_000


@dataclass(frozen=True)
class Difference:
    """`before` and `after` are positions; an added example has no before, a removed one no after."""

    kind: Kind
    before: int | None
    after: int | None


@dataclass(frozen=True)
class Entry:
    """An example that only one of the versions has in this state."""

    position: int
    identity: int
    key: str | None
    digest: bytes


Key = tuple[int, datetime, int, int]
_differences = ProcessCache[Key, list[Difference]]("differences of versions", 500_000, len)


def between(dataset: Dataset, source: int, target: int) -> list[Difference]:
    """The differences from one version to another: changed, added, removed, each in the order of the newer rows."""
    key = dataset.pk, dataset.created_at, source, target
    if (differences := _differences.get(key)) is None:
        _differences.put(key, differences := _between(dataset, source, target))
    return differences


def counts(every: Sequence[Difference]) -> dict[str, int]:
    kinds = [entry.kind for entry in every]
    return {kind: kinds.count(kind) for kind in ("added", "changed", "removed")}


def rows_between(dataset: Dataset, source: int, target: int) -> int:
    """How many rows `between` would read; counted without reading them."""
    old, new = sorted((source, target))
    ends = dict(dataset.versions.filter(number__in=(old, new)).values_list("number", "last_position"))
    return _retired(dataset, old, new).order_by().count() + ends[new] - ends[old]


def _between(dataset: Dataset, source: int, target: int) -> list[Difference]:
    old, new = sorted((source, target))
    retired, inserted = (
        list(_entries(_retired(dataset, old, new))),
        list(_entries(_inserted(dataset, old, new))),
    )
    before, after = (retired, inserted) if source == old else (inserted, retired)
    pairs, before, after = _paired(before, after)
    changed = [
        Difference("changed", a.position, b.position)
        for a, b in pairs
        if (a.key, a.digest) != (b.key, b.digest)
    ]
    return [
        *sorted(changed, key=lambda difference: difference.after or 0),
        *(Difference("added", None, row.position) for row in after),
        *(Difference("removed", row.position, None) for row in before),
    ]


def _retired(dataset: Dataset, old: int, new: int) -> ExampleQuerySet:
    """Examples of the older version that the newer one lacks."""
    return Example.objects.filter(
        dataset=dataset, added_in__lte=old, removed_in__gt=old, removed_in__lte=new
    ).order_by("position")


def _inserted(dataset: Dataset, old: int, new: int) -> ExampleQuerySet:
    """Examples of the newer version that the older one lacks."""
    last_position = dataset.versions.get(number=old).last_position
    return Example.objects.of_version(dataset.pk, new).filter(position__gt=last_position).order_by("position")


def _entries(rows: ExampleQuerySet) -> Iterator[Entry]:
    stored = bulk.stream(rows.values_list("position", "origin", "key", *PARTS))
    while batch := list(islice(stored, AT_ONCE)):
        positions, origins, keys, *texts = zip(*batch, strict=True)
        digests = contents.digests(dict(zip(PARTS, texts, strict=True)))
        for position, origin, key, digest in zip(positions, origins, keys, digests, strict=True):
            yield Entry(position, origin or position, key, digest)


def _paired(
    before: list[Entry], after: list[Entry]
) -> tuple[list[tuple[Entry, Entry]], list[Entry], list[Entry]]:
    """The pairs of entries that are states of one example, and the remaining entries of both sides."""
    pairs: list[tuple[Entry, Entry]] = []
    by: Sequence[Callable[[Entry], Hashable]] = (
        lambda entry: entry.identity,
        lambda entry: entry.key,
        lambda entry: entry.digest,
    )
    for name in by:
        more, before, after = _paired_by(name, before, after)
        pairs += more
    return pairs, before, after


def _paired_by(
    name: Callable[[Entry], Hashable], before: Iterable[Entry], after: Iterable[Entry]
) -> tuple[list[tuple[Entry, Entry]], list[Entry], list[Entry]]:
    waiting: dict[Hashable, list[Entry]] = defaultdict(list)
    pairs, new = [], []
    for entry in before:
        waiting[name(entry)].append(entry)
    for entry in after:
        same = waiting.get(name(entry)) if name(entry) is not None else None
        if same:
            pairs.append((same.pop(0), entry))
        else:
            new.append(entry)
    unpaired = sorted(
        (entry for entries in waiting.values() for entry in entries), key=lambda entry: entry.position
    )
    return pairs, unpaired, new


def described(dataset: Dataset, differences: Sequence[Difference]) -> list[dict[str, Any]]:
    """The differences as dicts: `change`, `key`, `key_before`, and the parts `before` and `after` (null if none)."""
    positions = {
        position
        for difference in differences
        for position in (difference.before, difference.after)
        if position is not None
    }
    rows = Example.objects.filter(dataset=dataset, position__in=positions)
    contents = {
        position: (key, {part: orjson.loads(text) for part, text in zip(PARTS, texts, strict=True)})
        for position, key, *texts in rows.values_list("position", "key", *PARTS)
    }
    return [_described(difference, contents) for difference in differences]


def _described(
    difference: Difference, contents: dict[int, tuple[str | None, dict[str, Any]]]
) -> dict[str, Any]:
    before = contents[difference.before] if difference.before else None
    after = contents[difference.after] if difference.after else None
    newest = after or before
    return {
        "change": difference.kind,
        "key": newest[0] if newest else None,
        "key_before": before and before[0],
        "before": before and before[1],
        "after": after and after[1],
    }
