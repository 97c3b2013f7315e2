"""A launch on a split asks its examples as they were at its start."""

import pytest

from evaluations.datasets import datasets, splits
from evaluations.datasets.splits import Rule
from evaluations.errors import Conflict, Invalid
from evaluations.launches import launches, order
from evaluations.launches.plans import Plan, Variant
from evaluations.models import Connection, Experiment, Run
from evaluations.prompts import prompts
from evaluations.prompts.content import Content
from evaluations.scoring import coverage
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def experiment(project) -> Experiment:
    return factories.experiment(project, references=["Paris"] * 10)


@pytest.fixture
def variant(project, settings) -> Variant:
    server: Connection = factories.connection(project, settings)
    content = Content([{"role": "user", "content": "{{ question }}"}], "m", connection=server)
    return Variant(prompts.version_of(prompts.create(project, None, "p", content)))


@pytest.mark.long
def test_a_launch_asks_the_examples_of_its_split(experiment, variant):
    hard = splits.create(experiment.dataset, None, "hard", Rule(keys=["k2", "k5", "k7"]))

    launch = launches.create(experiment, None, [variant], Plan(split=hard, seed=1))

    run = Run.objects.get()
    assert sorted(order.positions(launch).tolist()) == [2, 5, 7]
    assert (launch.size, run.split, coverage.count(run)) == (3, hard, 3)


def test_a_launch_keeps_its_examples_when_the_split_changes(experiment, variant):
    hard = splits.create(experiment.dataset, None, "hard", Rule(keys=["k2", "k5", "k7"]))
    launch = launches.create(experiment, None, [variant], Plan(split=hard, seed=1))
    before = order.positions(launch).tolist()

    splits.change(hard, rule=Rule(keys=["k1"]))
    datasets.remove(experiment.dataset, None, 5)
    launch.refresh_from_db()

    assert order.positions(launch).tolist() == before


def test_a_sample_is_one_of_the_split(experiment, variant):
    hard = splits.create(experiment.dataset, None, "hard", Rule(keys=["k2", "k5", "k7"]))

    launch = launches.create(experiment, None, [variant], Plan(split=hard, size=2, seed=1))

    assert set(order.positions(launch).tolist()) < {2, 5, 7}
    with pytest.raises(Invalid) as refusal:
        launches.create(experiment, None, [variant], Plan(split=hard, size=4))
    assert list(refusal.value.fields) == ["sample/size"]


def test_a_split_that_shares_examples_with_its_group_is_not_launched(experiment, variant):
    dataset = experiment.dataset
    dev = splits.create(dataset, None, "dev", Rule(keys=["k2"]), "parts")
    split = splits.create(dataset, None, "test", Rule(keys=["k2"]))
    type(split).objects.filter(pk=split.pk).update(group="parts")

    with pytest.raises(Conflict) as refusal:
        launches.create(experiment, None, [variant], Plan(split=dev))

    assert refusal.value.code == "split_overlap"
    assert not Run.objects.exists()


def test_a_split_of_another_dataset_is_refused(project, experiment, variant):
    elsewhere = factories.dataset(project, name="elsewhere")
    split = splits.create(elsewhere, None, "all", Rule(share=1))

    with pytest.raises(Invalid) as refusal:
        launches.create(experiment, None, [variant], Plan(split=split))

    assert list(refusal.value.fields) == ["split"]
