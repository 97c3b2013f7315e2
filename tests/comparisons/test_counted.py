"""The comparisons ever made on a dataset."""

import numpy as np
import pytest

from evaluations.api.serializers.comparison_shape import ComparisonSerializer
from evaluations.comparisons.comparison import Comparison
from evaluations.models import CountedComparison, Run
from evaluations.scoring import counted
from tests import factories
from tests.comparisons import columns

pytestmark = pytest.mark.django_db


def made(experiment):
    return counted.numbers(experiment.dataset_id)


def test_each_new_set_of_outputs_is_counted_once_when_its_run_is_scored(project):
    experiment = factories.experiment(project)
    base = factories.scored_run(experiment, ("x", "y", "z"), "base")
    first = factories.scored_run(experiment, ("Paris", "y", "z"), "v1")
    again = factories.scored_run(experiment, ("Paris", "y", "z"), "v1 again")
    second = factories.scored_run(experiment, ("Paris", "Rome", "z"), "v2")

    assert made(experiment) == {first.pk: 1, again.pk: 1, second.pk: 2}
    assert base.pk not in made(experiment)


def test_deleting_runs_does_not_shorten_the_history(project):
    experiment = factories.experiment(project)
    factories.scored_run(experiment, ("x", "y", "z"), "base")
    first = factories.scored_run(experiment, ("Paris", "y", "z"), "v1")
    Run.objects.filter(pk=first.pk).delete()
    second = factories.scored_run(experiment, ("Paris", "Rome", "z"), "v2")

    assert made(experiment) == {second.pk: 2}


def test_reading_counts_nothing(project):
    experiment = factories.experiment(project)
    base = factories.scored_run(experiment, ("x", "y", "z"), "base")
    variant = factories.scored_run(experiment, ("Paris", "y", "z"), "v1")

    for _ in range(3):
        assert ComparisonSerializer(Comparison([base, variant], base)).data

    assert CountedComparison.objects.count() == 1


@pytest.fixture
def twentieth(project):
    """A clear but not overwhelming lead in the twentieth comparison of a dataset."""
    experiment = columns.experiment(project, 60, ["rouge_l"])
    chance = np.random.default_rng(3)
    scores = chance.uniform(0.3, 0.6, 60)
    base = columns.run(experiment, "base", [scores])
    for number in range(19):
        CountedComparison.objects.create(dataset=experiment.dataset, dataset_version=1, outputs=f"{number}")
    variant = columns.run(experiment, "variant", [scores + chance.normal(0.04, 0.11, 60)])
    CountedComparison.objects.create(
        dataset=experiment.dataset, dataset_version=1, run=variant, outputs="new"
    )
    return Comparison([base, variant], base)


def test_the_twentieth_comparison_needs_more_to_be_confirmed(twentieth):
    [entry] = ComparisonSerializer(twentieth).data["entries"]

    assert entry["verdict"] == "better"
    assert entry["comparisons_made"] == 20
    assert entry["p_online"] > 0.05 >= entry["p_corrected"]
    assert "comparison number 20 on this dataset: better is not confirmed" in twentieth.sentence.remarks
