"""Retention deletes datasets that were long unused, with their experiments and runs."""

from dataclasses import replace

import pytest

from evaluations import owned
from evaluations.datasets import datasets
from evaluations.experiments import experiments
from evaluations.gates import gates
from evaluations.models import Dataset, Experiment, Run
from evaluations.upkeep import retention
from tests import factories

from .aging import DATASETS_AFTER_180, RUNS_AFTER_90, SIZE, days_pass, live_runs, sweep

pytestmark = pytest.mark.django_db


def test_an_unused_dataset_is_deleted_and_restored_with_its_experiments(project, experiment):
    factories.scored_run(experiment)
    days_pass(200)
    retention.change(project, DATASETS_AFTER_180 | RUNS_AFTER_90)

    sweep()

    assert not Dataset.objects.live().exists()
    assert not Experiment.objects.live().exists()
    owned.restore(experiment.dataset)
    sweep()
    assert (Dataset.objects.live().count(), Experiment.objects.live().count()) == (1, 1)
    assert live_runs() == ["v1"]


def test_runs_deleted_with_their_dataset_are_counted_only_there(project, old_runs):
    days_pass(100)

    plan = retention.plan(project, DATASETS_AFTER_180 | RUNS_AFTER_90)

    assert (plan.datasets.count, plan.datasets.experiments, plan.datasets.runs) == (1, 1, 2)
    assert plan.runs.count == 0


def test_runs_wait_for_the_turn_of_their_dataset(project, old_runs, monkeypatch):
    days_pass(100)
    retention.change(project, DATASETS_AFTER_180 | RUNS_AFTER_90)
    monkeypatch.setattr(retention, "RULES", (replace(retention.DATASETS, batch=0), retention.RUNS))

    sweep()

    assert live_runs() == ["v1", "v2"]


def appended(experiment: Experiment) -> None:
    datasets.append(experiment.dataset, None, [{"inputs": {"question": "q9"}}])


def run_again(experiment: Experiment) -> None:
    factories.run(experiment, variant="new", start=False)


def asked_again(experiment: Experiment) -> None:
    experiments.create(experiment.project, None, "again", experiment.dataset)


def checked(experiment: Experiment) -> None:
    run = experiment.runs.order_by("pk").first()
    gate = gates.create(experiment.project, None, "ship", gates.Plan(run, SIZE))
    gates.keep(gates.check(gate, run))
    gates.delete(gate)


@pytest.mark.parametrize("use", [appended, run_again, asked_again, checked])
def test_a_dataset_that_is_used_stays(project, experiment, use):
    factories.scored_run(experiment)
    days_pass(200)
    use(Experiment.objects.get(pk=experiment.pk))
    days_pass(100)

    assert retention.plan(project, DATASETS_AFTER_180).datasets.count == 0
    days_pass(100)
    assert retention.plan(project, DATASETS_AFTER_180).datasets.count == 1


@pytest.mark.parametrize("use", [run_again, asked_again, checked])
def test_a_use_counts_after_what_used_the_dataset_is_removed_for_good(project, experiment, use):
    factories.scored_run(experiment)
    days_pass(200)
    use(Experiment.objects.get(pk=experiment.pk))
    Run.objects.update(status=Run.Status.COMPLETED)
    days_pass(100)
    for unused in Experiment.objects.live():
        experiments.delete(unused)
    days_pass(8)
    sweep()
    sweep()

    assert not Run.objects.exists()
    assert not Experiment.objects.exists()
    assert retention.plan(project, DATASETS_AFTER_180).datasets.count == 0
    days_pass(100)
    assert retention.plan(project, DATASETS_AFTER_180).datasets.count == 1
