"""Runs are cut into chunks with the examples that they were asked, a stretch of positions at a time."""

import tracemalloc
from collections import Counter

import numpy as np
import pytest

from evaluations.datasets import bitmaps
from evaluations.models import Dataset, DatasetVersion, Job, Run
from evaluations.scoring import spans
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(project):
    return factories.run(factories.experiment(project), start=False)


def with_rows(run, count, asked=None):
    """The run as if its dataset had so many examples, of which it was asked these positions."""
    counts = {"last_position": count, "example_count": count}
    Dataset.objects.update(**counts)
    DatasetVersion.objects.update(**counts)
    packed = None if asked is None else bitmaps.packed(asked)
    Run.objects.update(asked_rows=packed, asked_version=1)
    return Run.objects.select_related("experiment__dataset").get(pk=run.pk)


def test_chunks_have_the_asked_examples_of_their_stretch(run):
    asked = np.concatenate([np.arange(3, 4_001, 7), np.arange(12_001, 12_004), [20_000]])
    counted = Counter(((asked - 1) // 4_000).tolist())

    assert spans.of_run(with_rows(run, 20_001, asked), Job.TEXT) == [
        (4_000 * n + 1, 4_000 * (n + 1), counted[n]) for n in (0, 3, 4)
    ]
    assert spans.of_run(with_rows(run, 8_001), Job.TEXT) == [
        (1, 4_000, 4_000),
        (4_001, 8_000, 4_000),
        (8_001, 12_000, 1),
    ]


def test_cutting_a_long_run_takes_no_memory_for_each_example(run):
    long_run = with_rows(run, 2_000_000)
    tracemalloc.start()
    try:
        assert sum(total for *_, total in spans.of_run(long_run, Job.TEXT)) == 2_000_000
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
