"""What a limit says of a run with the same scores as the baseline."""

import numpy as np
import pytest

from evaluations.gates import gates
from evaluations.gates.gates import Plan
from tests.comparisons import columns

pytestmark = pytest.mark.django_db
SIZE = 24


@pytest.fixture
def runs(project):
    """A baseline and a run that is no different."""
    experiment = columns.experiment(project, SIZE, ["exact_match"])
    scores = (np.arange(SIZE) % 3 > 0) * 1.0
    return [columns.run(experiment, name, [scores]) for name in ("base", "same")]


def seen(project, runs, margin):
    """The meaning of a limit, and the verdict on the run with the same scores."""
    evaluator = runs[0].experiment.primary_id
    plan = Plan(runs[0], [{"rule": "not_worse", "evaluator": evaluator, "margin": margin}])
    [meaning], (_, [check]) = gates.meanings(project, plan), gates.preview(project, plan, runs[1:])
    return meaning, check.verdict


def test_a_limit_that_is_too_small_for_an_unchanged_run_names_the_smallest_one_that_is_not(project, runs):
    meaning, verdict = seen(project, runs, 0.05)

    told = "With 24 examples, a run with the same scores gets \N{MINUS SIGN}12.5 to +12.5 points: "
    assert told + "this limit is too small for that, one of 12.6 points or more would do." in meaning
    assert verdict == "inconclusive"


def test_the_limit_that_is_named_lets_an_unchanged_run_pass(project, runs):
    meaning, verdict = seen(project, runs, 0.126)

    assert meaning.endswith("points, and passes.")
    assert verdict == "pass"


def test_no_smaller_limit_in_tenths_of_a_point_does(project, runs):
    assert seen(project, runs, 0.125)[1] == "inconclusive"
