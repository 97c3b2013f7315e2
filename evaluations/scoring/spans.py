"""Which stretches of positions a run is scored in."""

from django.db.models import Count, F
from django.db.models.functions import Floor

from evaluations.engine.queue import Span
from evaluations.models import Example, Job, Run, Scoring
from evaluations.values import Status

from .columns import CHUNK

ASKED = 500  # Examples for which a server is asked at a time: four calls at once, and progress that is seen.


def of_run(run: Run, lane: str) -> list[Span]:
    """Every stretch of `CHUNK` positions (`ASKED` where a server is asked) that has an example of the version."""
    experiment, size = run.experiment, CHUNK if lane == Job.TEXT else min(ASKED, CHUNK)
    if experiment.dataset_version == 1:
        # The first version has no gaps: positions 1 to n.
        count = experiment.dataset.versions.get(number=1).example_count
        firsts = range(1, count + 1, size)
        return [(first, first + size - 1, min(size, count - first + 1)) for first in firsts]
    examples = Example.objects.of_version(experiment.dataset_id, experiment.dataset_version)
    numbered = examples.annotate(stretch=Floor((F("position") - 1) / size)).values_list("stretch")
    counted = numbered.annotate(total=Count("position")).order_by("stretch")
    return [(int(n) * size + 1, (int(n) + 1) * size, total) for n, total in counted]


def with_errors(scoring: Scoring) -> list[Span]:
    """Those of its blocks in which a row ended in an error."""
    found = []
    for first, status in scoring.blocks.order_by("first").values_list("first", "status").iterator():
        raw = bytes(status)
        if Status.ERROR in raw:
            found.append((first, first + len(raw) - 1, len(raw) - raw.count(Status.ABSENT)))
    return found
