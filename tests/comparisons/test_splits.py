"""Comparisons restricted to a split: all figures cover its examples, as they are in the baseline's version."""

import pytest

from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.grouping.example_filter import ExampleFilter
from evaluations.datasets import datasets, splits
from evaluations.datasets.splits import Rule
from evaluations.errors import Invalid
from evaluations.models import Experiment, Run, Split
from tests import factories

pytestmark = pytest.mark.django_db
SIZE = 20


@pytest.fixture
def experiment(project) -> Experiment:
    return factories.experiment(project, references=["Paris"] * SIZE)


@pytest.fixture
def runs(experiment) -> tuple[Run, Run]:
    """The second is right on the last ten examples, where the first is wrong; else it is the other way round."""
    first = factories.scored_run(experiment, ["Paris"] * 10 + ["Rome"] * 10, "v1")
    return first, factories.scored_run(experiment, ["Rome"] * 10 + ["Paris"] * 10, "v2")


@pytest.fixture
def late(experiment) -> Split:
    return splits.create(experiment.dataset, None, "late", Rule(keys=[f"k{n}" for n in range(11, 21)]))


def test_figures_are_of_the_split_alone(runs, late):
    whole, part = (
        Comparison(runs, runs[0]),
        Comparison(runs, runs[0], example_filter=ExampleFilter(split=late)),
    )

    assert (whole.figures.size, part.figures.size, part.figures.full_size) == (20, 10, 20)
    assert whole.figures.entries[0].paired.difference == 0
    assert part.figures.entries[0].paired.difference == 1


def test_another_definition_of_a_split_is_another_comparison(runs, late):
    before = (
        Comparison(runs, runs[0], example_filter=ExampleFilter(split=late))
        .figures.entries[0]
        .paired.difference
    )

    splits.change(late, rule=Rule(keys=["k1", "k2"]))
    after = (
        Comparison(runs, runs[0], example_filter=ExampleFilter(split=late))
        .figures.entries[0]
        .paired.difference
    )

    assert (before, after) == (1, -1)


def test_a_split_is_taken_from_the_version_of_the_baseline(experiment, runs, late):
    datasets.remove(experiment.dataset, None, 15)

    assert Comparison(runs, runs[0], example_filter=ExampleFilter(split=late)).figures.size == 10


def test_a_split_of_another_dataset_is_refused(project, runs):
    elsewhere = splits.create(factories.dataset(project, name="other"), None, "all", Rule(share=1))

    with pytest.raises(Invalid) as refusal:
        Comparison(runs, runs[0], example_filter=ExampleFilter(split=elsewhere))

    assert refusal.value.code == "not_comparable"
