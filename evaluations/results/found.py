"""Pages of a search in the order of the file, which read texts only until the page is full.

Whoever needs the number of all found rows reads all texts instead (`results.page`).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from evaluations.datasets.bitmaps import Mask
from evaluations.datasets.live_positions import Positions
from evaluations.keyset import Slice
from evaluations.models import Run

from . import searching
from .searching import Stretch

FIRST = 2_000  # examples whose texts the first statement reads; each further one reads more, for rare texts
GROWTH = 4
MOST = 500_000


@dataclass(frozen=True)
class Found:
    """The rows of `where` (slots of the `positions`) with `text` in the output or example, in a stretch or in all."""

    run: Run
    text: str
    positions: Positions
    where: Mask
    searched: Stretch | None = None

    def page(self, size: int, *, after: int | None = None, before: int | None = None) -> Slice:
        """`size` slots after, or before, a slot; the bounds of the neighbouring pages are slots, None at the ends."""
        is_back = before is not None
        found = self._nearest(size + 1, before if is_back else after, is_back=is_back)
        rows, has_more = found[:size], len(found) > size
        if not rows:
            return Slice([], None, None)
        # A page without bounds is the first; the row of a bound is on the page behind, unless texts changed meanwhile.
        is_first = after is None and not is_back
        has_others = not is_first and bool(self._nearest(1, rows[0], is_back=not is_back))
        ahead, behind = (has_more, has_others) if is_back else (has_others, has_more)
        rows.sort()
        return Slice(rows, rows[0] if ahead else None, rows[-1] if behind else None)

    def _nearest(self, size: int, slot: int | None, *, is_back: bool) -> list[int]:
        """At most `size` found slots behind a slot (before it with `is_back`), the nearest first."""
        found: list[int] = []
        for start, stop in self._stretches(slot, is_back=is_back):
            slots = self._slots(start, stop)
            found += slots[::-1] if is_back else slots
            if len(found) >= size:
                break
        return found[:size]

    def _stretches(self, slot: int | None, *, is_back: bool) -> Iterator[tuple[int, int]]:
        whole = self.searched or Stretch(0, len(self.positions), len(self.positions))
        start, stop, length = whole.start, whole.stop, FIRST
        if slot is not None:
            start, stop = (start, min(slot, stop)) if is_back else (max(start, slot + 1), stop)
        while start < stop:
            if is_back:
                yield max(start, stop - length), stop
                stop -= length
            else:
                yield start, min(start + length, stop)
                start += length
            length = min(length * GROWTH, MOST)

    def _slots(self, start: int, stop: int) -> list[int]:
        """The found slots from `start` on, before `stop`."""
        first, last = self.positions.at(np.array([start, stop - 1])).tolist()
        read = searching.between(self.text, self.run, first, last)
        slots, is_here = self.positions.find(read)
        slots = slots[is_here]
        chosen: list[int] = slots[self.where[slots]].tolist()
        return chosen
