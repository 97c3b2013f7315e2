"""Which stretches of positions a run is scored in."""

from collections.abc import Iterator, Sequence

import numpy as np
from django.db.models import Count, F
from django.db.models.functions import Floor

from evaluations import bulk
from evaluations.engine.queue import Span
from evaluations.models import Job, Run, Scoring
from evaluations.values import Status

from . import columns, coverage
from .columns import CHUNK

ASKED = (
    500  # Examples in a chunk for a kind that calls a server: four concurrent calls, and visible progress.
)


def of_run(run: Run, lane: str) -> list[Span]:
    """Every stretch of `CHUNK` positions (`ASKED` where a server is asked) that has an example of the version."""
    experiment, size = run.experiment, CHUNK if lane == Job.TEXT else min(ASKED, CHUNK)
    if run.asked_rows is not None:
        return list(_of_sample(run, size))
    if experiment.dataset_version == 1:
        # The first version has no gaps: positions 1 to n.
        count = experiment.dataset.versions.get(number=1).example_count
        firsts = range(1, count + 1, size)
        return [(first, first + size - 1, min(size, count - first + 1)) for first in firsts]
    numbered = run.examples.annotate(stretch=Floor((F("position") - 1) / size)).values_list("stretch")
    counted = numbered.annotate(total=Count("position")).order_by("stretch")
    return [(int(n) * size + 1, (int(n) + 1) * size, total) for n, total in counted]


def _of_sample(run: Run, size: int) -> Iterator[Span]:
    """The stretches in which an example was asked."""
    rows = bulk.select(run.examples.values_list("position"))
    positions = np.array([position for (position,) in rows], np.int64)
    stretches = (positions[coverage.among(run, positions)] - 1) // size
    for stretch, total in zip(*np.unique(stretches, return_counts=True), strict=True):
        yield int(stretch) * size + 1, (int(stretch) + 1) * size, int(total)


def unscored(run: Run, lane: str, scorings: Sequence[Scoring]) -> list[Span]:
    """Those of a run's spans in which one of these scorings lacks an example."""
    scored = [slots.scored_between for slots in columns.load_many([each.pk for each in scorings]).values()]
    return [
        (first, last, total)
        for first, last, total in of_run(run, lane)
        if any(count(first, last) < total for count in scored)
    ]


def with_errors(scoring: Scoring) -> list[Span]:
    """Those of its blocks in which an example ended in an error."""
    return columns.blocks_with(scoring.pk, Status.ERROR)
