"""What the scores of a sentence range over."""

import numpy as np
import pytest

from evaluations.comparisons.comparison import Comparison
from tests.comparisons import columns

pytestmark = pytest.mark.django_db

SIZE = 40


def told(project, kind, low, high):
    experiment = columns.experiment(project, SIZE, [kind])
    draw = np.random.default_rng(1)
    runs = [columns.run(experiment, name, [draw.integers(low, high + 1, SIZE)]) for name in ("a", "b")]
    compared = Comparison(runs, runs[0])
    return compared.evaluators.scale_told(compared.figures.primary.pk)


def test_a_declared_range_is_told(project):
    assert told(project, "rouge_l", 0, 1) == "0 to 1"


def test_ratings_without_a_declared_range_tell_what_was_seen(project):
    assert told(project, "value", 1, 5) == "scores 1 to 5"


def test_numbers_without_a_range_are_no_ratings(project):
    assert told(project, "value", 1, 500) == ""


def test_shares_need_no_scale(project):
    assert told(project, "exact_match", 0, 1) == ""
