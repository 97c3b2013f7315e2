"""Splits: named sets of the examples of a dataset, by metadata, by chance, or by hand.

The members of a split are determined for each version: an example that was edited, or removed and put back, keeps its
random number and its membership in splits made by hand. An example belongs to at most one split of a group.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, TypeAlias

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from numpy.typing import NDArray

from evaluations import owned
from evaluations.errors import Conflict, Invalid, NotFound
from evaluations.models import Dataset, Run, Split
from evaluations.models.dataset import ExampleQuerySet
from evaluations.models.fields import name_key
from evaluations.numerals import plural, whole
from evaluations.process_cache import ProcessCache
from evaluations.values import LARGEST_ID, canonical_json

from . import bitmaps, datasets, drawing, live_positions, lookup, metadata, random_numbers
from .identities import of_version as identities_of

Positions: TypeAlias = NDArray[np.int64]
MOST_SPLITS = 100  # splits per dataset
LARGEST_SEED = LARGEST_ID  # as its column holds
MOST_BYTES = 32_000_000

# By split, digest of its definition, and version: the members that these determine never change.
process_cache: ProcessCache[tuple[int, str, int], Positions] = ProcessCache(
    "examples of splits", MOST_BYTES, lambda positions: positions.nbytes
)


@dataclass(frozen=True)
class Rule:
    """The members of a split: examples with these `keys` and at these `positions`; else those with the metadata of
    `filter`, all of them or a random `share`.
    """

    filter: Sequence[tuple[str, str]] = ()
    share: float | None = None
    seed: int | None = None
    keys: Sequence[str] = ()
    positions: Sequence[int] = ()

    @property
    def is_by_hand(self) -> bool:
        return bool(self.keys or self.positions)


@dataclass(frozen=True)
class Overlap:
    """How many examples of a version also belong to another `split` of the same group."""

    split: Split
    examples: int


# ---- creating, changing, deleting --------------------------------------------------------------------------


def live(dataset: Dataset) -> QuerySet[Split]:
    """The splits of a dataset, without deleted ones."""
    return Split.objects.live().filter(dataset=dataset)


def create(dataset: Dataset, user: User | None, name: str, rule: Rule, group: str = "") -> Split:
    with transaction.atomic():
        datasets.lock(dataset)
        if live(dataset).count() >= MOST_SPLITS:
            raise Conflict("too_many_splits", f"A dataset can have at most {MOST_SPLITS} splits.")
        split = Split(
            project=dataset.project, created_by=user, dataset=dataset, name=name, group=group.strip()
        )
        _set(split, rule)
        owned.save_named(split)
        refuse_overlaps(split, dataset.version)
    return split


def change(
    split: Split, *, name: str | None = None, group: str | None = None, rule: Rule | None = None
) -> Split:
    """Change the arguments that are not None. Runs keep the examples that they were asked."""
    with transaction.atomic():
        datasets.lock(split.dataset)
        split.group = split.group if group is None else group.strip()
        if rule is not None:
            _set(split, rule)
        owned.rename(split, split.name if name is None else name)
        refuse_overlaps(split, split.dataset.version)
    return split


def delete(split: Split) -> None:
    owned.delete(split, Run.objects.none())


def restore(split: Split) -> Split:
    with transaction.atomic():
        owned.restore(split)
        refuse_overlaps(split, split.dataset.version)
    return split


def _set(split: Split, rule: Rule) -> None:
    if rule.is_by_hand and (rule.filter or rule.share is not None):
        raise invalid(
            "keys", "Choose the examples of a split either by hand or by filter and share, not both."
        )
    if not rule.is_by_hand and not rule.filter and rule.share is None:
        raise invalid("filter", "A split needs a filter, a share, keys or positions.")
    metadata.require_columns(split.dataset, rule.filter)
    split.filter, split.share, split.seed = [list(pair) for pair in rule.filter], rule.share, None
    split.low, split.high, split.chosen = 0.0, 1.0, None
    if rule.is_by_hand:
        split.chosen = bitmaps.packed(_named_by(split.dataset, rule.keys, rule.positions))
    elif rule.share is not None:
        _draw(split, rule.share, rule.seed)


def _draw(split: Split, share: float, seed: int | None) -> None:
    shares = list(live(split.dataset).filter(group=split.group, share__isnull=False).exclude(pk=split.pk))
    shares = shares if split.group else []
    split.seed = drawing.seed_of(shares) if seed is None else seed
    siblings = [sibling for sibling in shares if (sibling.seed, sibling.filter) == (split.seed, split.filter)]
    _, identities = _matching(split, split.dataset.version)
    split.low, split.high = drawing.interval(
        random_numbers.of_examples(identities, split.seed), share, siblings
    )


def _named_by(dataset: Dataset, keys: Sequence[str], positions: Sequence[int]) -> Positions:
    """The identities of examples of the newest version; raises `Invalid` naming the first that is missing."""
    every, identities = examples_of(dataset, dataset.version)
    return identities[np.isin(every, lookup.positions(dataset, keys, positions))]


def invalid(field: str, message: str) -> Invalid:
    return Invalid("invalid_split", message, fields={field: [message]})


def named(dataset: Dataset, id_or_name: str) -> Split:
    """The split with this name, else with this id; raises `NotFound`."""
    by_name = live(dataset).filter(name_key=name_key(id_or_name)).first()
    split = by_name or live(dataset).filter(pk=whole(id_or_name) or 0).first()
    if split is None:
        message = f"The dataset has no split “{id_or_name[:200]}”."
        raise NotFound("unknown_split", message, fields={"split": [message]})
    return split


def chosen(dataset: Dataset, id_or_name: str) -> Split | None:
    """Like `named`, but None for ""."""
    return named(dataset, id_or_name) if id_or_name else None


# ---- members -------------------------------------------------------------------------------------------------


def positions(split: Split, version: int) -> Positions:
    """The positions of the split's examples in a version, ascending."""
    key = (split.pk, digest(split), version)
    cached = process_cache.get(key) if split.pk else None
    if cached is None:
        cached = _positions(split, version)
        process_cache.put(key, cached)
    return cached


def mask(split: Split, version: int, every: live_positions.Positions) -> bitmaps.Mask:
    """The mask over `every` of slots whose examples belong to the split."""
    return every.mask(positions(split, version))


def examples(split: Split, version: int) -> ExampleQuerySet:
    """The examples that belong to a split in a version, in order."""
    return datasets.examples(split.dataset, version).filter(
        position__one_of=positions(split, version).tolist()
    )


def frozen(split: Split, version: int) -> Positions:
    """The `positions` for a new run; raises `Conflict` if the split is empty, or overlaps another of its group."""
    refuse_overlaps(split, version)
    rows = positions(split, version)
    if not len(rows):
        message = f"The split {split.name} has no example in version {version}."
        raise Conflict("split_empty", message, fields={"split": [message]})
    return rows


def overlaps(split: Split, version: int) -> list[Overlap]:
    if not split.group:
        return []
    split_positions, group = (
        positions(split, version),
        live(split.dataset).filter(group=split.group).exclude(pk=split.pk),
    )
    counted = [
        Overlap(member, len(np.intersect1d(split_positions, positions(member, version)))) for member in group
    ]
    return [overlap for overlap in counted if overlap.examples]


def refuse_overlaps(split: Split, version: int) -> None:
    for overlap in overlaps(split, version):
        shared = plural(overlap.examples, "example")
        message = (
            f"{shared} of {split.name} would also be in {overlap.split.name}; both splits are in the group "
            f"{split.group}."
        )
        raise Conflict(
            "split_overlap",
            message,
            hint="Change one of the splits, or take one out of the group.",
            where={"split": overlap.split.pk, "examples": overlap.examples},
            fields={"group": [message]},
        )


def definition(split: Split) -> dict[str, Any]:
    """The values that determine the members of a split."""
    chosen = None if split.chosen is None else blake2b(bytes(split.chosen), digest_size=16).hexdigest()
    rule: Mapping[str, Any] = {name: getattr(split, name) for name in ("filter", "seed", "low", "high")}
    return {**rule, "chosen": chosen}


def digest(split: Split) -> str:
    return blake2b(canonical_json(definition(split)).encode(), digest_size=16).hexdigest()


def _positions(split: Split, version: int) -> Positions:
    if split.chosen is not None:
        every, identities = examples_of(split.dataset, version)
        return every[bitmaps.holds(split.chosen, identities)]
    every, identities = _matching(split, version)
    if split.share is None or split.seed is None:
        return every
    drawn = random_numbers.of_examples(identities, split.seed)
    return every[(split.low <= drawn) & (drawn < split.high)]


def _matching(split: Split, version: int) -> tuple[Positions, Positions]:
    """The positions and identities of the examples that match the metadata filter."""
    every, identities = examples_of(split.dataset, version)
    if not split.filter:
        return every, identities
    slots = live_positions.of_version(split.dataset, version)
    pairs = [(column, value) for column, value in split.filter]
    has = metadata.with_values(datasets.examples(split.dataset, version), pairs, slots)
    return every[has], identities[has]


def examples_of(dataset: Dataset, version: int) -> tuple[Positions, Positions]:
    """The positions of a version's examples, ascending, and their identities."""
    every = live_positions.of_version(dataset, version).every
    return every, identities_of(dataset, version)
