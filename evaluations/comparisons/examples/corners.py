"""How many examples have the scores 0 and 1 by one evaluator, of the baseline and of a variant."""

from dataclasses import dataclass

import numpy as np

from evaluations import long_arrays
from evaluations.models import Evaluator
from evaluations.process_cache import ProcessCache
from evaluations.scoring.columns import Slots
from evaluations.statistics.terms import Mask

from ..alignment.sides import BASELINE
from ..comparison import Comparison
from .examples import squares_of
from .gains import readable

process_cache: ProcessCache[str, "Corners"] = ProcessCache("two-by-two tables", 1_000)


@dataclass(frozen=True)
class Corners:
    """`counts[a][b]` examples have the score a of the baseline and b of the variant; None if there are other scores.

    `last` is the index of the square of the score 1. `sealed` examples are left out.
    """

    counts: list[list[int]] | None
    last: int
    sealed: int


def of(
    comparison: Comparison, evaluator: Evaluator, baseline: Slots, variant: Slots, hidden: Mask
) -> Corners:
    """Count these readable scores."""
    left_out = int(hidden.sum())
    if any(_has_others(column.values) for column in (baseline, variant)):
        return Corners(None, 0, left_out)
    squares = squares_of(comparison, evaluator, baseline, variant)
    ends = [0, squares.parts - 1]
    return Corners(squares.counts()[np.ix_(ends, ends)].tolist(), ends[1], left_out)


def remembered(comparison: Comparison, evaluator: Evaluator, index: int) -> Corners:
    """Count the scores of a side against the baseline's, once: reading a million for each page takes long."""

    def compute() -> Corners:
        columns, hidden = readable(comparison, evaluator)
        return of(comparison, evaluator, columns[BASELINE], columns[index], hidden)

    hidden = comparison.aligner.sealed(evaluator.pk).key
    runs = [(run.pk, run.experiment.dataset_version) for run in comparison.sides.runs]
    return comparison.figures.families.remembered(process_cache, compute, [evaluator.pk], index, hidden, runs)


def _has_others(values: np.ndarray) -> bool:
    parts = (values[part] for part in long_arrays.parts(len(values)))
    return any(bool(((part != 0) & (part != 1) & np.isfinite(part)).any()) for part in parts)
