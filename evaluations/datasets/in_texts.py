"""Finds the datasets of a project whose examples contain a text."""

from dataclasses import dataclass
from itertools import accumulate, takewhile

from django.db.models import Count, F, Q

from evaluations.models import Dataset, Example, Project

from . import datasets

READ = 50_000  # examples whose texts are read for one page: a few tenths of a second
MOST = 500  # datasets that one statement names
OFFERED = 12  # datasets too large for that, to search in one by one


@dataclass(frozen=True)
class Found:
    """Each dataset with the number of its examples that contain the text, and the datasets that were not read."""

    counted: list[tuple[Dataset, int]]
    unread: list[Dataset]


def search(project: Project, text: str) -> Found:
    """Search the newest versions of the newest datasets; what has more than `READ` examples stays unread."""
    ready = Dataset.objects.live().filter(project=project, status=Dataset.Status.READY, example_count__gt=0)
    known = list(ready.filter(example_count__lte=READ)[:MOST])
    sums = accumulate(dataset.example_count for dataset in known)
    within = takewhile(lambda pair: pair[1] <= READ, zip(known, sums, strict=True))
    read = {dataset.pk: dataset for dataset, _ in within}
    newest = Q(removed_in=None) | Q(removed_in__gt=F("dataset__version"))
    examples = Example.objects.filter(newest, dataset__in=read, added_in__lte=F("dataset__version"))
    counts = (
        datasets.search(examples, text).order_by().values_list("dataset").annotate(found=Count("position"))
    )
    found = dict(counts)
    counted = [(dataset, found[pk]) for pk, dataset in read.items() if pk in found]
    return Found(counted, list(ready.exclude(pk__in=read)[:OFFERED]))
