"""Cuts chunks with long texts into pieces that are scored well within a lease.

A chunk of 4 000 pairs of 100 000 characters would take 18 minutes of one formula, on every worker that takes it over.
"""

from collections.abc import Collection

import numpy as np

from evaluations.engine import queue
from evaluations.models import Chunk, Job, Run

from .rows import Rows

# In characters: what many formulas need grows with the length, and of some with its square.
MOST_WORK = 40e6  # about ten seconds
SQUARE = 50_000  # characters of an example at which the square counts as much as the length


def seconds(rows: Rows, evaluators: int) -> float:
    """About what many formulas take at most for these rows."""
    return evaluators * rows.characters * (1 + rows.longest / SQUARE) / MOST_WORK * 10


def cut(chunk: Chunk, run: Run, rows: Rows, needs: Collection[str], evaluators: int) -> Rows:
    """Shorten a chunk of long texts to its first piece, and return the rows of that; others may take the rest."""
    at_most = evaluators * rows.characters * (1 + rows.longest / SQUARE)
    if at_most <= MOST_WORK or chunk.job.lane != Job.TEXT:
        return rows
    spans = _pieces(chunk, Rows.sizes(run, chunk.first, chunk.last, needs), evaluators)
    if len(spans) < 2 or not queue.cut(chunk, spans):
        return rows
    return Rows.read(run, chunk.first, chunk.last, needs)


def _pieces(chunk: Chunk, sizes: dict[int, int], evaluators: int) -> list[queue.Span]:
    positions = np.array(list(sizes), np.int64)
    size = np.array(list(sizes.values()), np.float64)
    work = evaluators * size * (1 + size / SQUARE)
    before = np.cumsum(work) - work
    starts = np.flatnonzero(np.diff(before // MOST_WORK, prepend=-1))
    firsts = [chunk.first, *positions[starts[1:]].tolist()]
    lasts = [*(first - 1 for first in firsts[1:]), chunk.last]
    totals = np.diff([*starts, len(positions)]).tolist()
    return list(zip(firsts, lasts, totals, strict=True))
