"""Membership in splits made by hand: adds or removes many examples, and undoes the last move."""

import numpy as np
from django.db import transaction
from numpy.typing import NDArray

from evaluations.errors import Conflict
from evaluations.models import Dataset, Split

from . import bitmaps, datasets, splits
from .selections import Selection

Positions = NDArray[np.int64]


def move(split: Split, selection: Selection, *, add: bool, dry_run: bool = False) -> int:
    """Move examples into a split or out of it; returns how many. Raises `Conflict` for an overlap in its group."""
    if split.chosen is None:
        raise splits.invalid(
            "split", f"{split.name} is a rule; only splits chosen by hand can gain or lose examples."
        )
    dataset = selection.dataset
    selection.resolve()
    with transaction.atomic():
        datasets.lock(dataset)
        selection.require_newest()
        split.refresh_from_db()
        moved = _moved(split, selection.chosen, dataset.version, add=add)
        before = split.chosen
        _put(split, _identities(dataset, moved), add=add)
        splits.refuse_overlaps(split, dataset.version)
        if len(moved) and not dry_run:
            _save(split, before)
    return len(moved)


def undo(split: Split, seen_digest: str) -> None:
    """Undo the last move; a second undo is a redo. `seen_digest` identifies the state of the split that the user saw.

    Raises `Conflict` if the split has changed since, or for an overlap in its group.
    """
    with transaction.atomic():
        datasets.lock(split.dataset)
        split.refresh_from_db()
        if split.chosen_before is None or splits.digest(split) != seen_digest:
            raise Conflict("changed_meanwhile", f"{split.name} has changed in the meantime.")
        before, split.chosen = split.chosen, split.chosen_before
        splits.refuse_overlaps(split, split.dataset.version)
        _save(split, before)


def count(split: Split, selection: Selection) -> int:
    """How many of the selected examples belong to the split."""
    return int(np.isin(selection.chosen, splits.positions(split, selection.version)).sum())


def _save(split: Split, before: bytes | None) -> None:
    split.chosen_before = before
    split.save(update_fields=["chosen", "chosen_before"])


def _moved(split: Split, chosen: Positions, version: int, *, add: bool) -> Positions:
    """The identities that a move would add or remove."""
    return np.asarray(chosen[np.isin(chosen, splits.positions(split, version)) != add])


def _identities(dataset: Dataset, positions: Positions) -> Positions:
    every, identities = splits.examples_of(dataset, dataset.version)
    return identities[np.isin(every, positions)]


def _put(split: Split, identities: Positions, *, add: bool) -> None:
    bits = bytes(split.chosen or b"")
    members = bitmaps.unpacked(bits, max(8 * len(bits), int(identities.max(initial=0))))
    members[identities - 1] = add
    split.chosen = bitmaps.packed(np.flatnonzero(members) + 1)
