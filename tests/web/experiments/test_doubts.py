"""What speaks against an evaluator that decided before, where a form recommends it."""

import pytest

from evaluations.experiments import experiments
from tests import factories
from tests.pages import text_of

pytestmark = pytest.mark.django_db


def test_a_last_primary_that_found_nothing_right_is_named_with_its_doubt(alices, project):
    dataset = factories.dataset(project, ["Paris"] * 12)
    experiment = experiments.create(project, None, "before", dataset, [factories.evaluator(project)])
    for variant in "ab":
        factories.scored_run(experiment, ["It is Paris."] * 12, variant)

    page = text_of(alices.get(f"/p/default/experiments/new/?dataset={dataset.pk}"))

    assert "on this dataset. It found none of 24 answers right there: look whether it fits." in page
