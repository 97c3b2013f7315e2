"""Divides the positions of a run into spans, one for each chunk."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from evaluations.datasets.live_positions import Positions
from evaluations.engine.queue import Span
from evaluations.models import Job, Run, Scoring
from evaluations.values import Status

from . import columns, coverage
from .columns import CHUNK

Row = TypeVar("Row")
Stretch = tuple[int, int]  # the first and last position of a block

# examples of a chunk for kinds that call a server: four concurrent calls, visible progress
SERVER_CHUNK = 500


def of_run(run: Run, lane: str) -> list[Span]:
    """All spans of `CHUNK` positions (in a server's lane `SERVER_CHUNK`) with an example that the run was asked."""
    size = CHUNK if lane == Job.TEXT else min(SERVER_CHUNK, CHUNK)
    every = coverage.positions(run)
    counted = (
        (first, first + size - 1, len(_asked(run, every, first, size))) for first in every.stretches(size)
    )
    return [span for span in counted if span[-1]]


def everywhere(run: Run) -> list[Stretch]:
    """The stretches of `CHUNK` positions with an example that the run was asked."""
    return [(first, last) for first, last, _ in of_run(run, Job.TEXT)]


def by_stretch(rows: Mapping[int, Row]) -> dict[Stretch, dict[int, Row]]:
    """Rows by position, grouped by the stretches of `CHUNK` positions that have any.

    >>> by_stretch({4_001: "a", 2: "b", 3: "c"})
    {(4001, 8000): {4001: 'a'}, (1, 4000): {2: 'b', 3: 'c'}}
    """
    grouped: dict[Stretch, dict[int, Row]] = {}
    for position, row in rows.items():
        first = (position - 1) // CHUNK * CHUNK + 1
        grouped.setdefault((first, first + CHUNK - 1), {})[position] = row
    return grouped


def asked_between(run: Run, first: int, last: int) -> NDArray[np.int64]:
    """The positions from `first` to `last` with an example that the run was asked."""
    return _asked(run, coverage.positions(run), first, last - first + 1)


def _asked(run: Run, every: Positions, first: int, length: int) -> NDArray[np.int64]:
    slots, _ = every.span(first, length)
    inside = every.at(np.arange(slots.start, slots.stop))
    return inside[coverage.is_asked(run, inside)]


def unscored(run: Run, lane: str, scorings: Sequence[Scoring]) -> list[Span]:
    """The spans in which one of these scorings lacks an example."""
    positions = coverage.positions(run)
    scored_masks = [
        column.is_known
        for column in columns.load_many([scoring.pk for scoring in scorings], positions).values()
    ]

    def is_lacking(first: int, last: int, total: int) -> bool:
        slots, _ = positions.span(first, last - first + 1)
        return any(np.count_nonzero(mask[slots]) < total for mask in scored_masks)

    return [span for span in of_run(run, lane) if is_lacking(*span)]


def with_errors(scoring: Scoring) -> list[Span]:
    """The spans of blocks with errors."""
    return columns.blocks_with(scoring.pk, Status.ERROR)


def unpaid(scoring: Scoring) -> list[Span]:
    """The spans of blocks with examples that wait to be paid for."""
    return columns.blocks_with(scoring.pk, Status.NOT_SENT)
