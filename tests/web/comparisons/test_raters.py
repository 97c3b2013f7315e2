"""Several evaluators on one scale, such as two people's scores: their mean decides at one press."""

import re

import numpy as np
import pytest

from evaluations.comparisons.comparison import Comparison
from tests.comparisons import columns
from tests.pages import markup

pytestmark = pytest.mark.django_db


def test_the_mean_of_raters_decides_at_one_press(project, alices):
    experiment = columns.experiment(project, 4, ["value", "value"])
    ratings = {"old": ([1, 2, 4, 5], [1, 2, 3, 5]), "new": ([1, 2, 4, 5], [5, 2, 3, 5])}
    runs = [columns.run(experiment, name, [*map(np.array, pair)]) for name, pair in ratings.items()]
    page = markup(alices.get(f"/experiments/{experiment.pk}/"))
    sent = re.findall(r'name="evaluators" value="(\d+)"', page)

    alices.post(f"/experiments/{experiment.pk}/raters/", {"evaluators": sent})

    experiment.refresh_from_db()
    first, second = Comparison(runs, runs[0]).evaluators.secondary
    assert "Let their mean decide" in page
    assert experiment.primary.name == f"Mean of {first.name} and {second.name}"
    assert {*experiment.primary.versions.get().config["evaluators"].values()} == {first.pk, second.pk}


def test_one_evaluator_has_no_mean(project, alices):
    experiment = columns.experiment(project, 2, ["value"])
    columns.run(experiment, "old", [[1, 2]])

    alices.post(f"/experiments/{experiment.pk}/raters/", {"evaluators": experiment.primary_id})

    experiment.refresh_from_db()
    assert experiment.primary.name.startswith("value")
