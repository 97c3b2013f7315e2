"""Scores of several raters on one scale: the verdict names whose it is, and what their mean says."""

from types import SimpleNamespace

import numpy as np
import pytest

from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.notes import of
from evaluations.comparisons.same_scale import _mean_difference, are_alike
from evaluations.statistics.wording import text
from tests.comparisons import columns

pytestmark = pytest.mark.django_db


def compared(project, *ratings) -> Comparison:
    """Two variants; the ratings of both, a pair for each rater."""
    experiment = columns.experiment(project, 4, ["value"] * len(ratings))
    runs = [
        columns.run(experiment, name, [np.array(pair[number], float) for pair in ratings])
        for number, name in enumerate(("old", "new"))
    ]
    return Comparison(runs, runs[0])


def test_the_mean_of_raters_on_one_scale_is_told(project):
    comparison = compared(project, ([1, 2, 4, 5], [1, 2, 4, 5]), ([1, 2, 3, 5], [5, 2, 3, 5]))

    lines = [text(note.parts) for note in of(comparison).shown]

    [line] = [line for line in lines if "alone" in line]
    assert "which have one scale, the difference is +0.500" in line
    assert are_alike(comparison.figures, *comparison.evaluators)


def test_scores_on_another_scale_are_not_called_alike(project):
    comparison = compared(project, ([1, 2, 4, 5], [1, 2, 4, 5]), ([0, 0.2, 7, 9], [5, 2, 3, 8]))

    assert comparison.sentence.same_scale == []


@pytest.mark.parametrize(("sizes", "told"), [((4, 4), 0.5), ((4, 3), None)])
def test_differences_over_other_numbers_of_examples_have_no_mean(sizes, told):
    pairs = [
        SimpleNamespace(difference=difference, n=n) for difference, n in zip((0.2, 0.8), sizes, strict=True)
    ]
    figures = SimpleNamespace(
        sides=["old", "new"], entries_of=lambda rater: [SimpleNamespace(paired=pairs[rater])]
    )

    assert _mean_difference(figures, [0, 1]) == told


def test_scores_without_a_scale_are_not_called_alike(project):
    comparison = compared(project, ([-3, 2.5, 40, 5], [1, 2, 4, 5]), ([-9, 0.2, 7, 90], [5, 2, 3, 8]))

    assert comparison.sentence.same_scale == []
