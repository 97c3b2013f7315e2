"""Summaries of columns."""

import math
import random
import statistics
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evaluations.statistics.summary import merge, partial, summarise
from evaluations.values import Status

FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def columns(values, passed=None, status=None):
    """Three columns; None among the values is a row without a score."""
    values = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    passed = np.full(len(values), -1) if passed is None else np.array(passed)
    status = np.zeros(len(values)) if status is None else np.array(status)
    return values, passed.astype(np.int8), status.astype(np.uint8)


def summary(values, passed=None, status=None, low=0.0, high=1.0):
    return summarise(*columns(values, passed, status), low=low, high=high)


def test_figures_of_a_known_column():
    # by hand: mean 0.5, deviations -0.3 -0.1 0.1 0.3, squares sum to 0.2, divided by 3
    figures = summary([0.2, 0.4, 0.6, 0.8], passed=[0, 0, 1, 1])

    assert (figures.n, figures.mean, figures.min, figures.max) == (4, 0.5, 0.2, 0.8)
    assert figures.median == pytest.approx(0.5, abs=1e-15)
    assert figures.sd == pytest.approx(math.sqrt(0.2 / 3), abs=1e-15)
    assert (figures.pass_rate, figures.n_passed, figures.n_judged) == (0.5, 2, 4)


def test_statuses_sum_to_the_total_and_absent_slots_count_nowhere():
    figures = summary(
        [1.0, 0.0, None, None, None, 0.9],
        passed=[1, 0, -1, -1, -1, 1],
        status=[
            Status.SCORED,
            Status.MISSING_EXPECTED,
            Status.MISSING_ACTUAL,
            Status.UNMAPPED,
            Status.ERROR,
            Status.ABSENT,
        ],
    )

    assert figures.counts == {
        "total": 5, "scored": 1, "missing_expected": 1, "missing_actual": 1, "unmapped": 1, "error": 1,
        "not_found": 0, "not_sent": 0, "no_verdict": 0,
    }  # fmt: skip
    assert (figures.n, figures.mean, figures.max) == (2, 0.5, 1.0)
    assert (figures.n_passed, figures.n_judged, figures.pass_rate) == (1, 2, 0.5)


def test_averages_of_nothing_are_none():
    figures = summary([None, None], status=[Status.ERROR, Status.UNMAPPED])

    assert figures.n == 0
    assert {figures.mean, figures.sd, figures.pass_rate, figures.min, figures.max} == {None}
    assert {figures.p10, figures.median, figures.p90} == {None}
    assert sum(figures.histogram.counts) == 0


def test_one_value_has_a_mean_and_no_deviation():
    figures = summary([0.25])

    assert (figures.mean, figures.median, figures.sd) == (0.25, 0.25, None)


def test_infinity_is_no_value():
    assert summary([math.inf, 0.5, -math.inf]).n == 1


def test_truncations_are_handed_on():
    assert summarise(*columns([1.0]), low=0, high=1, truncated=3).truncated == 3


@given(st.lists(FLOATS, min_size=1, max_size=60))
def test_no_column_makes_a_figure_that_is_not_finite(values):
    figures = summary(values, low=None, high=None)

    assert all(math.isfinite(figure) for figure in (figures.mean, figures.min, figures.median, figures.max))
    assert figures.sd is None or math.isfinite(figures.sd)
    assert sum(figures.histogram.counts) == len(values)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=60))
def test_the_standard_library_finds_the_same(values):
    figures = summary(values, low=None, high=None)

    assert figures.mean == pytest.approx(statistics.mean(values), rel=1e-12, abs=1e-12)
    assert figures.median == pytest.approx(statistics.median(values), rel=1e-12, abs=1e-12)
    tenths = statistics.quantiles(values, n=10, method="inclusive")
    assert [figures.p10, figures.p90] == pytest.approx([tenths[0], tenths[-1]], rel=1e-9, abs=1e-9)
    assert figures.sd == pytest.approx(statistics.stdev(values), rel=1e-9, abs=1e-9)


def test_the_order_of_rows_changes_no_digit():
    chance = random.Random(7)
    values = [chance.choice([0.1, 1e-9, 1e9, 1 / 3]) * chance.random() for _ in range(5000)]
    expected = summary(values, low=None, high=None)

    for _ in range(5):
        chance.shuffle(values)
        assert summary(values, low=None, high=None) == expected


def test_chunks_in_any_order_add_up_to_the_whole():
    chance = np.random.default_rng(3)
    values = chance.random(1000)
    passed = chance.integers(-1, 2, 1000).astype(np.int8)
    status = chance.choice(np.array([0, 1, 4, 255], dtype=np.uint8), 1000)
    values[status == Status.ERROR] = np.nan
    chunks = [partial(values[i : i + 70], passed[i : i + 70], status[i : i + 70]) for i in range(0, 1000, 70)]

    total = summarise(values, passed, status, low=0, high=1)
    for parts in (chunks, chunks[::-1]):
        so_far = merge(parts)
        assert so_far.mean == pytest.approx(total.mean, abs=1e-14)
        assert (so_far.n, so_far.counts, so_far.pass_rate) == (total.n, total.counts, total.pass_rate)
    assert merge(chunks).mean == merge(chunks[::-1]).mean


def test_chunks_of_the_largest_floats_add_up():
    chunk = partial(*columns([1.7e308, 1.7e308]))

    assert merge([chunk, chunk]).mean == 1.7e308


def test_no_chunks_at_all_have_no_mean():
    so_far = merge([])

    assert (so_far.n, so_far.mean, so_far.pass_rate, so_far.counts["total"]) == (0, None, None, 0)


def test_summaries_and_their_charts_load_without_scipy():
    code = (
        "import sys; from evaluations.statistics import summary, histogram, intervals, ordering; "
        "sys.exit('scipy' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("seed", range(3))
def test_skewness_is_scipys(seed):
    scores = np.random.default_rng(seed).exponential(1e3, 50)

    assert summary(scores.tolist(), high=None).skewness == pytest.approx(stats.skew(scores))


def test_scores_that_do_not_vary_have_no_skewness():
    assert summary([0.3, 0.3, 0.3]).skewness is None
    assert summary([]).skewness is None
