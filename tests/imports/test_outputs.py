"""Matching of outputs and examples, even after changes of the dataset."""

import pytest
from django.db import connection

from evaluations.datasets import datasets
from evaluations.experiments import experiments, runs
from evaluations.experiments.matching import Keys
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def experiment(project):
    return factories.experiment(project)


def test_an_output_is_matched_to_the_experiments_version_not_to_a_later_one(experiment):
    datasets.edit(experiment.dataset, None, 2, {"inputs": {"question": "in other words"}})

    assert Keys(experiment).positions(["k1", "k2", "k9", None]) == {"k1": 1, "k2": 2}


def test_an_example_that_was_added_later_belongs_to_no_older_experiment(experiment):
    datasets.append(experiment.dataset, None, [{"key": "k4", "inputs": {"question": "q4"}}])

    assert Keys(experiment).positions(["k3", "k4"]) == {"k3": 3}


def test_an_example_that_was_removed_before_belongs_to_no_later_experiment(project, experiment):
    dataset = datasets.remove(experiment.dataset, None, 2)
    later = experiments.create(project, None, "later", dataset)
    datasets.edit(dataset, None, 1, {"inputs": {"question": "in other words"}})

    assert Keys(later).positions(["k1", "k2", "k3"]) == {"k1": 1, "k3": 3}


def test_keys_are_looked_up_in_their_index(project):
    """Reading all examples for every batch would take hours for a million outputs."""
    experiment = factories.experiment(project, references=["Paris"] * 3_000)
    with connection.cursor() as cursor:  # PostgreSQL reads small tables as a whole
        cursor.execute("ANALYZE evaluations_example")

    live = Keys(experiment).examples.filter(removed_in=None, key__in=["k1", "k2"])

    assert "example_key" in live.explain()


def test_outputs_are_counted_once_per_example_however_often_they_are_sent(experiment):
    run = factories.run(experiment, (), start=False)

    counts = []
    for outputs in (
        [{"key": "k1", "output": "a"}, {"key": "k2", "output": "b"}],
        [{"key": "k2", "output": "c"}, {"position": 3, "output": "d"}],
        [{"position": 3, "output": "e"}],
        [{"key": "k1", "output": None, "error": "time is over"}],
    ):
        runs.add_outputs(run, outputs)
        run.refresh_from_db()
        counts.append(run.output_count)

    assert counts == [2, 3, 3, 2]
