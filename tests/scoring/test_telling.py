"""Which runs show most of an evaluator."""

import pytest

from evaluations.scoring.telling import telling_first
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def runs(project):
    experiment = factories.experiment(project, "exact_match", "contains")
    wrong = factories.scored_run(experiment, ("x", "x", "x"), variant="all wrong")
    # all are wrong by the primary evaluator, and one contains the reference
    longer = factories.scored_run(experiment, ("in Paris", "x", "x"), variant="longer")
    told = factories.scored_run(experiment, ("Paris", "x", "x"), variant="one right")
    return [wrong, longer, told]


def test_a_run_whose_scores_differ_comes_first_and_others_keep_their_order(runs):
    wrong, longer, told = runs

    assert telling_first(runs) == [told, wrong, longer]


def test_an_evaluator_looks_at_its_own_scores(runs):
    wrong, longer, told = runs
    contains = longer.scorings.get(evaluator_version__kind="contains").evaluator_version.evaluator

    assert telling_first(runs, contains) == [longer, told, wrong]


def test_runs_without_scores_by_it_are_left_out(project, runs):
    assert telling_first(runs, factories.evaluator(project, "rouge_l")) == []
