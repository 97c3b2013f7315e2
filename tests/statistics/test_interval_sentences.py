"""Why an interval is wider on one side, or reaches across zero, than a reader expects."""

import numpy as np
import pytest

from evaluations.statistics.inference import AllPairs, against_baseline
from evaluations.statistics.interval_sentences import shapes
from evaluations.statistics.sentence_facts import Facts
from evaluations.statistics.terms import Column, ColumnSet, Scale
from evaluations.statistics.wording import text

RIGHT = Scale("maximize", binary=True, low=0, high=1)
GRADE = Scale("maximize", binary=False, low=0, high=1)


def said(d, scale):
    d = np.asarray(d, float)
    pair = ColumnSet(scale, [Column(np.where(d < 0, -d, 0.0)), Column(np.maximum(d, 0.0))])
    compared = against_baseline([pair], 0)[0][1]
    return text(shapes(Facts(["old", "new"], 0, "match", AllPairs(2, len(d), {(0, 1): compared})))), compared


def test_of_few_examples_that_differ_the_interval_is_explained():
    told, compared = said([1, -1, -1, *[0] * 57], RIGHT)

    assert compared.interval[0] < 0 < compared.interval[1]
    assert told == (
        "Few examples differ from old: 3 of 60 for new. Such an interval reaches across zero on both sides, because "
        "other examples may differ more often."
    )


@pytest.mark.parametrize(
    "d",
    [
        [1] * 20 + [-1] * 10 + [0] * 30,  # enough differ
        [1, -1, *[0] * 20],  # so few examples in all that no interval is shown
        [0] * 60,  # nothing differs, which the page says anyway
    ],
)
def test_other_intervals_of_right_and_wrong_need_no_explanation(d):
    assert said(d, RIGHT)[0] == ""


def test_an_interval_that_allows_for_an_example_not_seen_says_so():
    told, compared = said(np.linspace(0.01, 0.1, 60), GRADE)

    low, high = compared.interval
    assert compared.difference - low > high - compared.difference
    assert told == (
        "Fewer than 3 examples go against the difference of new from old. Its interval allows for one more, not seen, "
        "and so reaches further towards zero."
    )


@pytest.mark.parametrize(
    "d",
    [
        [0.3] * 20 + [-0.2] * 10 + [0.05] * 30,  # several go against it
        np.linspace(0.2, 0.9, 600),  # one more example hardly moves it
    ],
)
def test_an_interval_that_is_as_wide_on_both_sides_needs_no_explanation(d):
    assert said(d, GRADE)[0] == ""
