"""The courses of runs over time that lists show."""

import pytest

from evaluations.comparisons.over_time import courses
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments
from tests import factories

pytestmark = pytest.mark.django_db


def test_a_reference_in_which_a_step_finds_nothing_counts_in_no_course(project):
    mapping = {"expected": {"path": "$.reference.answer", "read": [{"step": "after", "marker": "####"}]}}
    exact = evaluators.create(project, None, "exact", "exact_match", {}, mapping)
    dataset = factories.dataset(project, ["#### 1", "#### 2", "no marker"])
    experiment = experiments.create(project, None, "e", dataset, [exact])
    factories.scored_run(experiment, ["1", "2", "3"])

    [point] = courses.of_datasets([dataset])[dataset.pk].points

    assert point.mean == 1.0
