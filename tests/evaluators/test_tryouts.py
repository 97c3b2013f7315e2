"""Trying an evaluator on examples of a dataset that has grown or lost examples since the run."""

import pytest
from model_bakery import baker

from evaluations.datasets import datasets
from evaluations.evaluators.recipe import Recipe
from evaluations.experiments import experiments, runs
from evaluations.models import Project
from evaluations.scoring import tryouts
from tests import factories

pytestmark = pytest.mark.django_db
RECIPE = Recipe.compile("exact_match", {}, {"expected": {"path": "$.reference.answer"}})


def rows(first, last):
    return [
        {"key": str(n), "inputs": {"q": f"q{n}"}, "reference": {"answer": f"a{n}"}}
        for n in range(first, last + 1)
    ]


@pytest.fixture
def project():
    return baker.make(Project, name="Support", slug="support")


def run_of(project, dataset):
    experiment = experiments.create(project, None, "Which?", dataset, [])
    return runs.create(experiment, None, "a", [{"key": str(n), "output": f"a{n}"} for n in range(1, 13)])


def test_the_sample_of_a_run_has_only_its_own_examples_after_the_dataset_grew(project):
    dataset = datasets.create(project, None, "Questions", rows(1, 12))
    run = run_of(project, dataset)
    datasets.append(dataset, None, rows(13, 600))
    dataset.refresh_from_db()
    source = tryouts.Source("run", "a", dataset, run)

    summary = tryouts.on_sample(project, RECIPE, source, seed=7)

    assert all(position <= 12 for position in source.sample(7))
    assert summary["n"] == 10


def test_a_dataset_whose_first_examples_are_gone_still_offers_paths(project):
    dataset = datasets.create(project, None, "Questions", rows(1, 40))
    for position in range(1, 31):
        datasets.remove(dataset, None, position)
        dataset.refresh_from_db()

    paths = [hint.path for hint in tryouts.Source("dataset", "Questions", dataset).paths()]

    assert "$.reference.answer" in paths


def test_a_run_of_a_split_is_tried_on_the_examples_it_was_asked(project):
    dataset = datasets.create(project, None, "Questions", rows(1, 60))
    last = factories.split(dataset, [str(n) for n in range(49, 61)])
    experiment = experiments.create(project, None, "Which?", dataset, [])
    outputs = [{"key": str(n), "output": {"text": f"a{n}"}} for n in range(49, 61)]
    run = runs.create(experiment, None, "a", outputs, split=last)
    source = tryouts.Source("run", "a", dataset, run)

    assert all(position > 48 for position in source.sample(7))
    assert "$.output.text" in [hint.path for hint in source.paths()]
    assert tryouts.on_row(project, RECIPE, source, 1) is None
