"""Examples whose inputs and reference are plain text, as the API takes them, have lengths."""

import pytest

from evaluations.comparisons.grouping.lengths import columns
from evaluations.datasets import datasets, live_positions

pytestmark = pytest.mark.django_db


@pytest.fixture
def dataset(project):
    rows = [{"inputs": "q" * (n % 4 + 1), "reference": "a" * (n % 8 + 1)} for n in range(80)]
    return datasets.create(project, None, "plain", rows)


def test_plain_texts_have_lengths(dataset):
    positions = live_positions.of_version(dataset, dataset.version)

    assert [column.name for column in columns(dataset, positions)] == ["input length", "reference length"]
