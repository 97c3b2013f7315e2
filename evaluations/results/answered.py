"""Which examples of a run have an answer, which answers failed, and which lack: also before anything is scored."""

import numpy as np
from django.db.models import QuerySet

from evaluations import bulk
from evaluations.datasets.bitmaps import Mask
from evaluations.datasets.live_positions import Positions
from evaluations.models import Output, Run
from evaluations.scoring import coverage

CHOICES = ("answered", "failed", "no answer")


def mask(run: Run, which: str, positions: Positions) -> Mask:
    """The slots with such answers; `which` is one of the choices."""
    outputs = Output.objects.filter(run=run)
    if which == "answered":
        return _at(positions, outputs.filter(text__isnull=False, error__isnull=True))
    if which == "failed":
        return _at(positions, outputs.filter(error__isnull=False))
    asked = coverage.slots(run)
    every = np.ones(len(positions), np.bool_) if asked is None else asked
    return every & ~_at(positions, outputs)


def counts(run: Run) -> dict[str, int]:
    """The number of examples of each choice, without those of which there are none."""
    positions = coverage.positions(run)
    found = {which: int(np.count_nonzero(mask(run, which, positions))) for which in CHOICES}
    return {which: number for which, number in found.items() if number}


def _at(positions: Positions, outputs: QuerySet[Output]) -> Mask:
    rows = bulk.select(outputs.values_list("position"))
    return positions.mask(np.fromiter((position for (position,) in rows), np.int64))
