"""What is compared besides scores: whether an example was answered at all, and how long that took."""

from collections.abc import Iterable, Sequence

import numpy as np
from django.db.models import QuerySet
from numpy.typing import NDArray

from evaluations.models import Output, Run

from .causes import Cause, Causes, Mask

FEW = 20_000  # Positions that are looked up one by one; beyond, all outputs of the run are read.
AT_ONCE = 500
LOOKED_AT = 100  # Positions in which a run that has latencies has one.


def answered(run_id: int, state: Causes) -> Mask:
    """The slots in which a run has an output without an error; a score is proof of one."""
    known = state == Cause.SCORED
    unclear = np.flatnonzero(~known & (state != Cause.NOT_ASKED))
    outputs = Output.objects.filter(run=run_id, text__isnull=False)
    usable = outputs.filter(error=None) | outputs.filter(error="")
    for position in _positions(usable, unclear + 1):
        if position <= len(known) and state[position - 1] != Cause.NOT_ASKED:
            known[position - 1] = True
    return known


def _positions(outputs: QuerySet[Output], wanted: NDArray[np.intp]) -> Iterable[int]:
    """Those of the wanted positions that these outputs have; of many, all that there are."""
    if len(wanted) > FEW:
        yield from outputs.values_list("position", flat=True).iterator(10_000)
        return
    for start in range(0, len(wanted), AT_ONCE):
        part = outputs.filter(position__in=wanted[start : start + AT_ONCE].tolist())
        yield from part.values_list("position", flat=True)


def timed_runs(runs: Sequence[Run]) -> set[int]:
    """The ids of the runs that have latencies."""
    first = Output.objects.filter(run__in=runs, position__lte=LOOKED_AT, latency_ms__isnull=False)
    return set(first.values_list("run_id", flat=True).distinct())


def latencies(runs: Sequence[Run], length: int) -> NDArray[np.float64]:
    """Milliseconds by slot, the mean over repeats; NaN where there are none."""
    sums, counts = np.zeros(length), np.zeros(length)
    timed = Output.objects.filter(run__in=runs, latency_ms__isnull=False, position__lte=length)
    for position, milliseconds in timed.values_list("position", "latency_ms").iterator(10_000):
        sums[position - 1] += milliseconds
        counts[position - 1] += 1
    return np.divide(sums, counts, out=np.full(length, np.nan), where=counts > 0)
