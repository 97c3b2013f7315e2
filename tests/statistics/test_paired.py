"""Expected numbers come from scipy.stats, from the papers named, or from counting by hand."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, special, stats

from evaluations.statistics.corrections import correct, holm
from evaluations.statistics.paired import compare, examples_needed
from evaluations.values import Status

NONE = np.nan


def chance(seed=1):
    return np.random.default_rng(seed)


def higher_is_better(baseline, run, **options):
    return compare(np.array(baseline, float), np.array(run, float), direction="maximize", **options)


def verdicts(gained, lost, passed=3, failed=2):
    """Two runs' pass/fail columns with so many examples gained, lost, passed by both and failed by both."""
    baseline = [0] * gained + [1] * lost + [1] * passed + [0] * failed
    run = [1] * gained + [0] * lost + [1] * passed + [0] * failed
    return baseline, run


def test_every_example_is_counted_in_one_place():
    baseline = [0.1, 0.2, NONE, NONE, NONE, NONE, NONE]
    run = [0.3, NONE, 0.4, NONE, NONE, NONE, NONE]
    of_baseline = [0, 0, 4, 4, 1, 255, 255]
    of_run = [0, 4, 0, 0, 3, 2, 255]
    statuses = (np.array(of_baseline, np.uint8), np.array(of_run, np.uint8))

    found = higher_is_better(baseline, run, statuses=statuses)

    assert (found.n, found.only_run, found.only_baseline, found.error, found.missing) == (1, 1, 1, 1, 2)
    assert statuses[0][-1] == Status.ABSENT


def test_means_and_difference_are_of_the_pairs():
    found = higher_is_better([0.2, 0.4, 1.0], [0.3, 0.7, NONE])

    assert found.baseline_mean == pytest.approx(0.3)
    assert found.mean == pytest.approx(0.5)
    assert found.difference == pytest.approx(0.2)
    # Differences 0.1 and 0.3: their standard deviation is 0.1 * sqrt(2).
    assert found.effect_size == pytest.approx(0.2 / (0.1 * math.sqrt(2)))


def test_wins_follow_the_direction_and_ties_the_tolerance():
    baseline, run = np.array([0.5, 0.5, 0.5, 0.5]), np.array([0.9, 0.5004, 0.1, 0.2])

    bounded = compare(baseline, run, direction="maximize", bounds=(0, 1))
    unbounded = compare(baseline, run, direction="minimize")
    coarse = compare(baseline, run, direction="maximize", tie=0.35)

    assert (bounded.wins, bounded.losses, bounded.ties, bounded.tie_tolerance) == (1, 2, 1, 0.001)
    assert (unbounded.wins, unbounded.losses, unbounded.ties) == (2, 2, 0)
    assert (coarse.wins, coarse.losses, coarse.ties) == (1, 1, 2)


@pytest.mark.parametrize(("gained", "lost"), [(1, 0), (8, 2), (3, 3), (20, 41), (0, 12), (1000, 1100)])
def test_pass_and_fail_get_the_exact_mcnemar_test(gained, lost):
    found = higher_is_better(*verdicts(gained, lost))

    assert found.method == "mcnemar_exact"
    assert found.p == pytest.approx(stats.binomtest(gained, gained + lost).pvalue, abs=1e-9)


@pytest.mark.parametrize(
    ("gained", "lost", "n"), [(1, 0, 44), (9, 4, 60), (0, 0, 30), (12, 0, 12), (3, 7, 400)]
)
def test_the_interval_of_two_rates_is_tangos(gained, lost, n):
    # Tango 1998: an end is where the difference is 1.96 standard errors away, the error taken from the rates
    # that are likeliest among those with the end as their difference. Here they are searched, not solved for.
    found = higher_is_better(*verdicts(gained, lost, passed=n - gained - lost, failed=0))

    assert found.interval_method == "tango"
    for end in found.interval:
        if abs(end) == 1:
            continue
        likeliest = optimize.minimize_scalar(
            lambda rate, end=end: (
                -special.xlogy([gained, lost], [rate + end, rate]).sum()
                - special.xlogy(n - gained - lost, 1 - 2 * rate - end)
            ),
            bounds=(max(0, -end), (1 - end) / 2),
            method="bounded",
            options={"xatol": 1e-12},
        ).x
        error = math.sqrt((2 * likeliest + end - end**2) / n)
        assert abs((gained - lost) / n - end) / error == pytest.approx(1.959964, abs=1e-4)


@pytest.mark.parametrize("n", [300, 5000])
def test_many_scores_get_the_paired_t_test(n):
    baseline = chance().random(n)
    run = baseline + chance(2).normal(0.01, 0.1, n)
    expected = stats.ttest_rel(run, baseline)

    found = higher_is_better(baseline, run)

    assert found.method == "paired_t"
    assert found.p == pytest.approx(expected.pvalue, abs=1e-9)
    assert found.interval == pytest.approx(tuple(expected.confidence_interval()), abs=1e-9)


@pytest.mark.parametrize("n", [2, 7, 12])
def test_few_scores_get_the_sign_flip_test(n):
    baseline, run = chance().random(n), chance(2).random(n)
    expected = stats.permutation_test(
        (run - baseline,), np.mean, permutation_type="samples", n_resamples=np.inf, vectorized=True
    )

    found = higher_is_better(baseline, run)

    assert found.method == "sign_flip"
    assert found.p == pytest.approx(expected.pvalue, abs=1e-9)


def test_drawn_sign_flips_come_close_to_the_normal_theory():
    baseline, run = chance().random(150), chance(2).random(150) + 0.06

    found = higher_is_better(baseline, run)

    assert found.method == "sign_flip"
    assert found.p == pytest.approx(stats.ttest_rel(run, baseline).pvalue, abs=0.01)


def test_few_pairs_that_differ_among_many_do_not_get_the_t_test():
    # Four gains in 1 000 pairs: t says p = 0.045, but four coins fall alike once in eight throws.
    run = np.zeros(1000)
    run[:4] = [0.4, 0.5, 0.5, 0.6]

    found = higher_is_better(np.zeros(1000), run)

    assert stats.ttest_1samp(run, 0).pvalue < 0.05
    assert found.p == 0.125


def test_a_seed_settles_every_draw():
    baseline, run = chance().random(60), chance(2).random(60)

    first, again, other = (higher_is_better(baseline, run, seed=seed) for seed in (5, 5, 6))

    assert first == again
    assert first.interval != other.interval


def test_swapping_the_runs_mirrors_the_answer():
    baseline, run = verdicts(9, 4)

    there, back = higher_is_better(baseline, run), higher_is_better(run, baseline)

    assert there.p == back.p
    assert there.interval == pytest.approx((-back.interval[1], -back.interval[0]), abs=1e-9)
    assert (there.wins, there.losses) == (back.losses, back.wins)


@pytest.mark.parametrize(
    ("baseline", "run", "p", "reason"),
    [
        ([], [], None, "No example"),
        ([0.5], [0.7], None, "One pair"),
        ([1], [0], None, "One pair"),
        ([0.3, 0.5, 0.6], [0.3, 0.5, 0.6], 1.0, "same score"),
        ([0.3, 0.5, 0.6], [0.4, 0.6, 0.7], 0.25, "same amount"),
        ([1e308, 0], [-1e308, 1], None, "too large"),
    ],
)
def test_data_that_say_nothing_give_null_and_a_reason(baseline, run, p, reason):
    found = higher_is_better(baseline, run)

    assert found.p == p
    assert found.interval is None
    assert reason in found.reason


def test_verdicts_without_a_change_keep_an_honest_interval():
    found = higher_is_better([1] * 100, [1] * 100)

    assert found.p == 1.0
    assert found.interval == pytest.approx((-0.037, 0.037), abs=1e-3)
    assert found.reason is None


SCORES = st.lists(st.sampled_from([0.0, 0.1, 0.3, 1.0, 7.0, -2.0, 1e200, NONE]), max_size=24)


@settings(max_examples=150, deadline=None)
@given(baseline=SCORES, chance=st.randoms(use_true_random=False), clustered=st.booleans())
def test_no_figure_is_ever_nan_or_infinite(baseline, chance, clustered):
    run = chance.sample(baseline, len(baseline))
    clusters = [chance.randrange(4) for _ in run] if clustered else None

    found = higher_is_better(baseline, run, clusters=clusters)

    figures = [*vars(found).values(), *(found.interval or ())]
    assert all(math.isfinite(figure) for figure in figures if isinstance(figure, float))
    assert found.wins + found.losses + found.ties == found.n
    assert found.p is not None or found.reason
    assert found.interval is not None or found.reason


def test_holm_is_holms():
    # Worked by hand: 0.01 * 4, 0.02 * 3, then never below the one before: 0.03 * 2 = 0.06, 0.04 * 1 < 0.06.
    assert holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([0.9, None, 0.6]) == [1.0, None, 1.0]
    assert holm([]) == []


@pytest.mark.parametrize(("direction", "verdict"), [("maximize", "better"), ("minimize", "worse")])
def test_verdicts_follow_the_direction(direction, verdict):
    baseline = chance().random(400)
    (found,) = correct([compare(baseline, baseline + chance(2).random(400), direction=direction)])

    assert found.verdict == verdict
    assert found.p_corrected == found.p


def test_what_chance_would_show_among_many_is_not_called_better():
    clear = higher_is_better(*verdicts(7, 0))  # p = 0.016
    others = [higher_is_better(*verdicts(3, 3)) for _ in range(4)]

    alone, among = correct([clear])[0], correct([clear, *others])[0]

    assert (alone.verdict, among.verdict) == ("better", "cannot_tell")
    assert (among.p, among.p_corrected) == (pytest.approx(0.015625), pytest.approx(0.078125))


def test_a_larger_difference_needs_fewer_examples():
    found = higher_is_better(chance().random(500), chance(2).random(500))

    assert examples_needed(found, 0.1) < examples_needed(found, 0.05) < examples_needed(found, 0.01)
    assert examples_needed(found, found.smallest) == pytest.approx(500, abs=3)
    assert examples_needed(found, 0) is None
    assert examples_needed(higher_is_better([], []), 0.1) is None
