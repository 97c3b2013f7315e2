"""Pages warn of text evaluators that compare with several reference columns at once."""

import pytest
from django.urls import reverse

from evaluations.datasets import datasets
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments
from evaluations.models import Experiment
from tests import factories
from tests.pages import markup

from ..uploads.test_uploads import CSV, to_confirm

PATH = "$.expected.answer"
ANSWERS = ("Paris", "Rome", "Oslo")


@pytest.fixture
def experiment(project) -> Experiment:
    rows = [
        {"inputs": {"q": answer}, "reference": {"answer": answer, "source": "an atlas"}} for answer in ANSWERS
    ]
    capitals = datasets.create(project, None, "capitals", rows)
    return experiments.create(project, None, "which", capitals, [factories.evaluator(project)])


def page(client, experiment: Experiment) -> str:
    return markup(client.get(reverse("experiment-detail", args=[experiment.pk])))


def test_an_upload_with_two_reference_columns_warns_before_it_starts(alices):
    first, two = (
        markup(alices.get(to_confirm(alices, CSV, **roles))) for roles in ({}, {"role-3": "reference"})
    )

    assert PATH not in first
    assert PATH in two


def test_an_experiment_warns_before_and_after_it_is_scored(alices, experiment):
    before = page(alices, experiment)
    factories.scored_run(experiment, ANSWERS)

    after = page(alices, experiment)

    assert before.count(PATH) == after.count(PATH) == 1


def test_the_preview_of_a_version_warns(alices, experiment):
    factories.scored_run(experiment, ANSWERS)
    [used] = experiments.versions_of(experiment)
    evaluators.change(used.evaluator, None, config={"case_sensitive": False})

    shown = markup(alices.get(f"/experiments/{experiment.pk}/preview/?evaluators={used.evaluator_id}"))

    assert PATH in shown


def test_a_path_to_one_column_ends_it(alices, experiment):
    [used] = experiments.versions_of(experiment)
    evaluators.change(used.evaluator, None, mapping={"expected": {"path": PATH}})
    experiments.add_evaluators(experiment, [used.evaluator])
    factories.scored_run(experiment, ANSWERS)

    assert PATH not in page(alices, experiment)
