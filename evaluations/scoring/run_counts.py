"""The counts of a scoring, from which run statistics are computed: as stored with the scores, else read again.

A row without an answer has the counts of an empty one, so that silence is never better than an answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evaluations.datasets.live_positions import Positions
from evaluations.evaluators.recipe import Recipe
from evaluations.kinds import label_counts
from evaluations.kinds.statistic import Counting, Counts
from evaluations.models import Scoring
from evaluations.values import Status

from . import columns
from .causes import Mask
from .rows import Rows

Indices: TypeAlias = NDArray[np.intp]

MOST_READ = 10_000  # rows without stored counts that are read again
AT_ONCE = 500
MOST_LABELS = 100
UNSTORED = "These scores are older than their counts: score the run again to see its statistics."
TOO_MANY = f"The references have more than {MOST_LABELS} different labels."


@dataclass(frozen=True)
class RunCounts:
    """The counts of a run, a row for each position; −1 for a row without. `counting` turns them into statistics."""

    counting: Counting
    counts: Counts

    @property
    def is_counted(self) -> Mask:
        return np.asarray(self.counts[:, 0] >= 0)


class NoCounts(Exception):
    """A run has no statistics; the message is a sentence that says why."""


def load(scoring: Scoring, positions: Positions, *, silent: Mask | None = None) -> RunCounts:
    """The counts for each of `positions`; raises `NoCounts`.

    `silent` rows have an answer that does not count: they get the counts of an empty one.
    """
    recipe = Recipe.from_version(scoring.evaluator_version)
    counts = _complete(scoring, recipe, positions, silent)
    counting = recipe.counting(labels(scoring, recipe, counts, positions))
    if silent is not None and silent.any():
        counts[silent] = counting.silent(counts[silent])
    return RunCounts(counting, counts)


def _complete(scoring: Scoring, recipe: Recipe, positions: Positions, silent: Mask | None) -> Counts:
    stored = columns.load_counts(scoring.pk, positions)
    status = columns.load_many([scoring.pk], positions)[scoring.pk].status
    if stored is None:
        wanted = np.isin(status, (Status.SCORED, Status.MISSING_ACTUAL, Status.NOT_FOUND))
    else:
        wanted = (status == Status.SCORED) & (stored[:, 0] < 0)
    if silent is not None:
        wanted |= silent & (stored is None or stored[:, 0] < 0)
    unread = np.flatnonzero(wanted)
    if len(unread) > MOST_READ:
        raise NoCounts(UNSTORED)
    counts = stored
    for start in range(0, len(unread), AT_ONCE):
        slots = unread[start : start + AT_ONCE]
        found, read = _read(scoring, recipe, positions, slots)
        if read is not None:
            counts = np.full((len(positions), read.shape[1]), -1, np.int32) if counts is None else counts
            counts[found] = read
    if counts is None:
        raise NoCounts("No example of this run has a score.")
    return counts


def _read(
    scoring: Scoring, recipe: Recipe, positions: Positions, slots: Indices
) -> tuple[Indices, Counts | None]:
    """The counts of these slots, from the texts."""
    rows = Rows.at(scoring.run, positions.at(slots).tolist(), recipe.needs)
    return positions.slots(rows.positions), recipe.scores(rows.contexts).counts


def labels(scoring: Scoring, recipe: Recipe, counts: Counts, positions: Positions) -> Sequence[str]:
    """The labels of a scoring: those of the config, else those frozen when it ended, else those of the references."""
    if not recipe.kind.reads_labels:
        return ()
    if recipe.labels is not None:
        return recipe.labels
    frozen: Sequence[str] | None = (scoring.summary or {}).get("labels")
    return found_labels(scoring, recipe, counts, positions) if frozen is None else frozen


def found_labels(scoring: Scoring, recipe: Recipe, counts: Counts, positions: Positions) -> list[str]:
    """The distinct references as they are written first, the most frequent first; raises `NoCounts`."""
    slots = np.flatnonzero(counts[:, 0] >= 0)
    codes, first, times = np.unique(
        label_counts.reference_codes(counts[slots]), return_index=True, return_counts=True
    )
    if len(codes) > MOST_LABELS:
        raise NoCounts(TOO_MANY)
    order = np.lexsort((first, -times))
    wanted = slots[first[order]]
    rows = Rows.at(scoring.run, positions.at(np.sort(wanted)).tolist(), recipe.needs - {"output", "scores"})
    references = recipe.mapping.resolve(rows.contexts)["expected"].values
    written = dict(zip(positions.slots(rows.positions).tolist(), references, strict=True))
    both = zip(wanted.tolist(), codes[order].tolist(), strict=True)
    return [label_counts.spelled(written[slot], code, recipe.read_label) for slot, code in both]
