"""Searches in the texts of examples and outputs: whoever looks for a text in a run finds it here.

Pages and lists search a `Stretch` of many examples at once and offer to go on behind it, so that none takes longer
for a longer run. Files and reviews have what is found in all examples.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import QuerySet
from numpy.typing import NDArray

from evaluations.datasets.bitmaps import Mask
from evaluations.datasets.datasets import search as search_examples
from evaluations.datasets.live_positions import Positions
from evaluations.errors import Invalid
from evaluations.models import Output, Run
from evaluations.models.dataset import ExampleQuerySet
from evaluations.values import LONGEST_SEARCH

SEARCHED = 1_000_000  # examples whose texts are read for one page
GAP = 1_000  # positions that may be read in vain, because one statement more takes as long
Ends = tuple[int, int]  # the first and the last position


@dataclass(frozen=True)
class Stretch:
    """The slots from `start` on, before `stop`, of `whole`."""

    start: int
    stop: int
    whole: int

    @property
    def is_last(self) -> bool:
        return self.stop == self.whole

    @property
    def as_dict(self) -> dict[str, int]:
        """The first and the last of the examples, counted from 1."""
        return {"first": self.start + 1, "last": self.stop, "whole": self.whole}

    @property
    def mask(self) -> Mask:
        mask = np.zeros(self.whole, np.bool_)
        mask[self.start : self.stop] = True
        return mask


def stretch(start: int, whole: int) -> Stretch | None:
    """What is searched at once of `whole` slots from `start` on (behind the end: from the first); None for all."""
    if whole <= SEARCHED:
        return None
    start = start if 0 <= start < whole else 0
    return Stretch(start, min(start + SEARCHED, whole), whole)


def examples_of(rows: ExampleQuerySet, positions: Positions, searched: Stretch) -> ExampleQuerySet:
    """The examples of a stretch."""
    first, last = positions.at(np.array([searched.start, searched.stop - 1])).tolist()
    return rows.filter(position__range=(first, last))


def with_text(
    text: str,
    runs: Sequence[Run],
    examples: ExampleQuerySet | None,
    positions: Positions,
    where: Mask | None,
) -> Mask:
    """The slots of `where` (None: all) with the text in an output of these runs or in one of the `examples`, if given.

    The runs are of the version that has the `positions`.
    """
    found = _positions(text, runs, examples, None if where is None else ranges(positions, where))
    mask = positions.mask(found)
    return mask if where is None else mask & where


def between(text: str, run: Run, first: int, last: int) -> NDArray[np.int64]:
    """The positions from `first` to `last` with the text in the output or in the example, ascending."""
    return np.unique(_positions(text, [run], run.examples, [(first, last)]))


def ranges(positions: Positions, where: Mask) -> list[Ends]:
    """Ranges of positions that have all slots of `where` and, beside them, at most short gaps."""
    wanted = positions.at(np.flatnonzero(where))
    if not len(wanted):
        return []
    ends = np.flatnonzero(np.diff(wanted) > GAP)
    firsts, lasts = wanted[np.append(0, ends + 1)], wanted[np.append(ends, len(wanted) - 1)]
    return list(zip(firsts.tolist(), lasts.tolist(), strict=True))


def _positions(
    text: str, runs: Sequence[Run], examples: ExampleQuerySet | None, within: Sequence[Ends] | None
) -> NDArray[np.int64]:
    if len(text) > LONGEST_SEARCH:
        raise Invalid("search_too_long", f"A search can have at most {LONGEST_SEARCH} characters.")
    rows: list[QuerySet[Any]] = [Output.objects.filter(run__in=runs, text__has=text)]
    if examples is not None:
        rows.append(search_examples(examples, text))
    return np.concatenate([positions_of(some, within) for some in rows])


def positions_of(rows: QuerySet[Any], within: Sequence[Ends] | None) -> NDArray[np.int64]:
    """The positions of these outputs or examples, of those in these ranges only; None for all."""
    parts = [rows] if within is None else [rows.filter(position__range=ends) for ends in within]
    read = [np.fromiter(part.values_list("position", flat=True).iterator(), np.int64) for part in parts]
    return np.concatenate([np.empty(0, np.int64), *read])
