"""Power, simulated: a difference of the smallest detectable size is detected four times in five."""

import dataclasses

import numpy as np
import pytest
from scipy import stats

from evaluations.statistics import power
from evaluations.statistics.inference import against_baseline
from evaluations.statistics.law.coins import Coins
from evaluations.statistics.terms import Column, ColumnSet, Difference, Scale

SIMILARITY = Scale("maximize", binary=False)
MATCH = Scale("maximize", binary=True, low=0, high=1)


def of_differences(d, scale=SIMILARITY):
    pair = ColumnSet(scale, [Column(np.zeros(len(d))), Column(np.array(d, float))])
    return against_baseline([pair], 0)[0][1]


def pass_and_fail(gains, losses, n):
    return of_differences([1.0] * gains + [-1.0] * losses + [0.0] * (n - gains - losses), MATCH)


def detected(difference, changed, n):
    """How often the exact test detects the sign of the difference, in n examples of which a share changes."""
    rates = [(changed + difference) / 2, (changed - difference) / 2, 1 - changed]
    counts = np.random.default_rng(31).multinomial(n, rates, 6000)
    critical = {m: Coins(int(m)).critical(0.05) for m in set(counts[:, :2].sum(axis=1).tolist())}
    return np.mean(
        [
            (gains - losses) > critical[gains + losses] * np.sqrt(gains + losses)
            for gains, losses, _ in counts.tolist()
        ]
    )


@pytest.mark.parametrize(("df", "critical"), [(9, 2.0), (30, 1.97), (30, 3.4), (1000, 2.5)])
def test_the_shift_gives_a_noncentral_t_its_power(df, critical):
    shift = power.shift(critical, df)
    t = critical * np.sqrt(df / (df + 1 - critical**2))

    assert 1 - stats.nct.cdf(t, df, shift) == pytest.approx(0.8, abs=0.015)


@pytest.mark.parametrize(("n", "changed"), [(60, 0.4), (400, 0.2), (1319, 0.1), (20_000, 0.3)])
def test_the_smallest_difference_of_rates_is_detected_four_times_in_five(n, changed):
    half = round(n * changed / 2)
    result = pass_and_fail(half, half, n)

    assert detected(result.smallest, changed, n) == pytest.approx(0.8, abs=0.045)


def test_the_examples_that_are_needed_detect_the_difference_of_rates():
    needed = power.examples_needed(pass_and_fail(40, 40, 400), 0.1)

    assert detected(0.1, 0.2, needed) == pytest.approx(0.8, abs=0.03)


def test_the_smallest_difference_needs_as_many_examples_as_there_were():
    result = of_differences(np.random.default_rng(1).normal(0, 1, 500))

    assert power.examples_needed(result, result.smallest) == pytest.approx(500, abs=2)
    assert power.examples_needed(result, 0.1) < power.examples_needed(result, 0.05)


def test_no_number_of_examples_detects_a_zero_difference():
    result = of_differences(np.random.default_rng(1).normal(0, 1, 50))

    assert power.examples_needed(result, 0) is None
    assert power.examples_needed(result, 1e-9) is None
    assert power.examples_needed(Difference("maximize"), 0.1) is None


def test_only_an_open_comparison_needs_more_examples():
    d = np.random.default_rng(1).normal(0, 1, 100)
    d -= d.mean()

    undecided, clear = of_differences(d + 0.1), of_differences(d + 1)
    in_a_family = dataclasses.replace(undecided, critical=3.5)

    in_all = (1.96 + 0.84) ** 2 * d.var(ddof=1) / 0.1**2
    assert power.examples_to_decide(undecided) == pytest.approx(in_all - 100, rel=0.12)  # flips of 100: 2.04
    assert power.examples_to_decide(in_a_family) > power.examples_to_decide(undecided)
    assert power.examples_to_decide(clear) is None


@pytest.mark.parametrize(("gain", "margin", "more"), [(0.0, 0.1, 687), (0.05, 0.05, 687), (0.5, 0.5, 1)])
def test_a_margin_is_settled_by_as_many_examples_as_its_distance_needs(gain, margin, more):
    # A paired t test detects 0.1 standard deviations with 80 % power in 787 pairs (G*Power), of which 100 exist.
    difference = Difference(
        "maximize", n=100, difference=gain, standard_error=0.1, df=99, verdict="cannot_tell"
    )

    assert power.examples_to_settle(difference, margin) == pytest.approx(more, abs=1)


def test_a_bound_shrinks_as_one_over_n():
    # Nothing differs in 40 pairs, so at most 3 of 40 may: below 0.02 from 151 pairs on, since 3 / 150 is 0.02.
    assert power.examples_to_settle(pass_and_fail(0, 0, 40), 0.02) == 151 - 40


def test_a_bound_shrinks_alike_where_lower_is_better():
    lower = dataclasses.replace(pass_and_fail(0, 0, 40), direction="minimize")
    assert power.examples_to_settle(lower, 0.02) == 151 - 40


def test_a_comparison_without_pairs_is_settled_by_no_number_of_examples():
    assert power.examples_to_settle(Difference("maximize"), 0.02) is None


def test_no_number_of_pairs_settles_a_margin_without_a_spread():
    even = Difference("maximize", n=100, difference=0.0, standard_error=0.0, df=99, verdict="cannot_tell")
    assert power.examples_to_settle(even, 0.1) is None
