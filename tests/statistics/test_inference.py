"""Expected numbers come from enumerating all flips, from scipy, from the cited papers, or from counting by hand."""

import dataclasses
import itertools
import math
import tracemalloc

import numpy as np
import pytest
from scipy import optimize, special, stats

from evaluations.statistics.clusters import declared
from evaluations.statistics.evidence import around
from evaluations.statistics.figures import CHUNK, Figures, Scores, compute
from evaluations.statistics.inference import against_baseline, all_pairs
from evaluations.statistics.law import tilt
from evaluations.statistics.law.coins import Coins
from evaluations.statistics.law.drawn import Drawn
from evaluations.statistics.law.table import Table
from evaluations.statistics.terms import Column, ColumnSet, Scale, without_verdict

NONE = np.nan
SIMILARITY = Scale("maximize", binary=False, low=0, high=1)
SIMILARITY_WITHOUT_END = Scale("maximize", binary=False)
DISTANCE = Scale("minimize", binary=False, low=0)
MATCH = Scale("maximize", binary=True, low=0, high=1)


def columns(scale, *values):
    return ColumnSet(scale, [None if value is None else Column(np.array(value, float)) for value in values])


def compare(scale, baseline, variant, labels=None):
    pair = columns(scale, baseline, variant)
    grouping = None if labels is None else declared("doc", np.array(labels), pair)
    return against_baseline([pair], 0, grouping)[0][1]


def of_differences(d, scale=DISTANCE, labels=None):
    return compare(scale, np.zeros(len(d)), d, labels)


def pass_and_fail(gains, losses, n):
    unchanged = n - gains - losses
    return [0] * gains + [1] * losses + [1] * unchanged, [1] * gains + [0] * losses + [1] * unchanged


def chance(seed=1):
    return np.random.default_rng(seed)


def test_means_difference_and_counts_are_of_the_pairs():
    result = compare(SIMILARITY, [0.2, 0.4, 1.0, 0.5, 0.5], [0.3, 0.7, NONE, 0.5005, 0.1])

    assert (result.n, result.wins, result.losses, result.ties, result.changed) == (4, 2, 1, 1, 4)
    assert result.baseline_mean == pytest.approx(0.4)
    assert result.mean == pytest.approx((0.3 + 0.7 + 0.5005 + 0.1) / 4)
    assert result.difference == pytest.approx(0.0005 / 4)


def test_means_and_differences_are_numpys():
    baseline, variant = chance(1).random(5000), chance(2).random(5000)

    result = compare(SIMILARITY, baseline, variant)

    expected = (variant.mean(), baseline.mean(), (variant - baseline).mean())
    assert (result.mean, result.baseline_mean, result.difference) == pytest.approx(expected, rel=1e-14)


def test_fewer_is_better_where_the_evaluator_says_so():
    lower = compare(DISTANCE, np.arange(20.0) + 3, np.arange(20.0) + 3 - [1, 2] * 10)

    assert (lower.verdict, lower.wins, lower.losses) == ("better", 20, 0)
    assert lower.difference == -1.5


def every_flip(d):
    d = np.array(d)
    flips = np.array(list(itertools.product([1, -1], repeat=len(d))))
    return np.abs(flips @ d), abs(d.sum())


@pytest.mark.parametrize("d", [[1, 2, 3, 4, 5, 6], [3, -1, 2, 2, 5, 1, 4, -2], [1, 1, 1, 1, 1, 1, -4, 0, 0]])
def test_few_changes_are_tried_in_every_flip(d):
    sums, observed = every_flip(d)

    result = of_differences(np.array(d, float), Scale("maximize", binary=False))

    assert result.p >= np.mean(sums >= observed - 1e-9) - 1e-12
    units = np.array(d, float)[:, None]
    symmetric = Table.of(units, np.zeros_like(units), np.array([True]))
    r = observed / math.sqrt(sum(x * x for x in d))
    assert Drawn(symmetric).p(0, r) == pytest.approx(np.mean(sums >= observed - 1e-9))


@pytest.mark.parametrize(("gains", "losses"), [(8, 2), (3, 3), (20, 41), (0, 12), (1000, 1100)])
def test_pass_and_fail_alone_is_mcnemars_exact_test(gains, losses):
    result = compare(MATCH, *pass_and_fail(gains, losses, gains + losses + 5))

    assert result.p == pytest.approx(stats.binomtest(gains, gains + losses).pvalue, abs=1e-9)
    assert result.p_corrected == result.p


@pytest.mark.parametrize("changed", [0, 1, 5, 6, 7, 20, 99, 1000])
def test_the_critical_value_of_coins_is_the_largest_that_is_not_significant(changed):
    critical = Coins(changed).critical(0.05)

    for gained in range(changed // 2, changed + 1):
        significant = stats.binomtest(gained, changed).pvalue <= 0.05 if changed else False
        assert (abs(2 * gained - changed) > critical * math.sqrt(changed)) == significant


def test_an_end_that_only_slack_keeps_from_zero_is_zero():
    """48 to 31 is the last split of 79 pairs that McNemar's exact test does not call a difference."""
    baseline = np.repeat([0.0, 1.0, 1.0], [48, 31, 100])
    variant = np.repeat([1.0, 0.0, 1.0], [48, 31, 100])

    result = compare(MATCH, baseline, variant)

    assert (result.interval[0], result.verdict) == (0.0, "cannot_tell")


@pytest.mark.parametrize(("gains", "losses", "n"), [(9, 4, 60), (12, 0, 12), (3, 7, 400), (30, 11, 50)])
def test_the_interval_of_two_rates_is_tangos_at_the_critical_value(gains, losses, n):
    # Tango 1998: an end is where the difference is so many standard errors away, the error taken from the rates
    # that are likeliest among those with the end as their difference. Here they are searched, not solved for.
    result = compare(MATCH, *pass_and_fail(gains, losses, n))

    assert result.interval_method == "tango"
    for end in result.interval:
        if abs(end) == 1:
            continue
        likeliest = optimize.minimize_scalar(
            lambda rate, end=end: (
                -special.xlogy([gains, losses], [rate + end, rate]).sum()
                - special.xlogy(n - gains - losses, 1 - 2 * rate - end)
            ),
            bounds=(max(0, -end), (1 - end) / 2),
            method="bounded",
            options={"xatol": 1e-12},
        ).x
        error = math.sqrt((2 * likeliest + end - end**2) / n)
        assert abs((gains - losses) / n - end) / error == pytest.approx(result.critical, abs=1e-4)


@pytest.mark.parametrize("n", [400, 5000])
def test_without_skew_one_comparison_is_close_to_students_t(n):
    d = chance().normal(0.02, 0.2, n)
    expected = stats.ttest_1samp(d, 0)

    result = of_differences(d)

    assert result.p == pytest.approx(expected.pvalue, abs=0.012)
    assert result.interval == pytest.approx(tuple(expected.confidence_interval()), abs=0.003)


def test_the_interval_reaches_further_where_skew_deceives():
    few_large_gains = np.array([-1.0] * 27 + [9.5, 9.5, 9.5])

    low, high = compare(
        SIMILARITY_WITHOUT_END, np.r_[np.zeros(30), 0, 99], np.r_[few_large_gains, 0, 99]
    ).interval

    assert high > 2 * -low


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("scale", [SIMILARITY, SIMILARITY_WITHOUT_END])
@pytest.mark.parametrize(
    "d",
    [
        [-0.5] * 40 + [0.5],
        [-0.5] * 40 + [0.0] * 20,
        [-0.5] * 40 + [-0.25],
        [-1.0] * 30 + [1.0] * 2 + [0.0] * 28,
        [-0.4] * 19 + [0.3],
    ],
    ids=["one gain", "all equal", "one smaller", "two gains", "twenty"],
)
def test_many_like_differences_and_a_rare_other_one_are_clear(d, scale, sign):
    result = of_differences(sign * np.array(d), scale)

    assert result.verdict == ("worse" if sign > 0 else "better")
    assert result.interval[0] * result.interval[1] > 0
    assert result.p_corrected <= 0.05


@pytest.mark.parametrize("seed", range(30))
def test_interval_p_and_verdict_agree_where_few_values_are_unlike_the_others(seed):
    draw = chance(seed)
    sets = [
        columns(SIMILARITY_WITHOUT_END, np.zeros(60), draw.choice([-0.5, -0.1, 0, 0.5], 60, p=shares))
        for shares in draw.dirichlet([2, 2, 1, 0.6], 3)
    ]

    for _, result in against_baseline(sets, 0):
        low, high = result.interval
        assert (result.p_corrected <= 0.05) == (not low <= 0 <= high) == (result.verdict != "cannot_tell")
        assert result.p <= result.p_corrected


def test_tilted_differences_have_a_mean_of_zero_and_the_least_information():
    d = np.array([-0.5] * 40 + [-0.2] * 5 + [0.9] * 2)

    def information(shares):
        return float(special.rel_entr(shares, np.full(len(d), 1 / len(d))).sum())

    nearest = optimize.minimize(
        information,
        np.full(len(d), 1 / len(d)),
        bounds=[(0, 1)] * len(d),
        constraints=[
            {"type": "eq", "fun": lambda shares: shares.sum() - 1},
            {"type": "eq", "fun": lambda shares: shares @ d},
        ],
    ).x

    values, counts = np.unique(tilt._tilted_values(d), return_counts=True)

    assert values * 0.9 == pytest.approx([-0.5, -0.2, 0.9])
    expected = [nearest[d == value].sum() for value in (-0.5, -0.2, 0.9)]
    assert counts / counts.sum() == pytest.approx(expected, abs=1e-3)
    assert values @ counts / counts.sum() == pytest.approx(0, abs=1e-4)


def test_skew_is_corrected_for_in_many_examples_too():
    rare = np.where(np.arange(3000) < 12, 99.0, -0.39)
    result = of_differences(rare)
    symmetric = of_differences(rare * np.where(np.arange(3000) % 2, 1, -1))

    assert result.method == "normal"
    low, high = result.interval
    assert high - result.difference > 1.15 * (result.difference - low)
    assert np.ptp(symmetric.interval) < np.ptp(result.interval)


@pytest.mark.parametrize("changes", [0, 1, 5])
@pytest.mark.parametrize("scale", [SIMILARITY, MATCH])
def test_fewer_than_six_changes_give_a_bound_and_no_verdict(changes, scale):
    result = compare(scale, [0] * 100, [1] * changes + [0] * (100 - changes))

    assert (result.p, result.p_corrected, result.verdict) == (1.0, 1.0, "cannot_tell")
    low, high = result.interval
    assert low <= -0.03 + 1e-12
    assert high >= 0.03 - 1e-12
    assert result.reason


def test_an_unchanged_column_is_bounded_by_three_in_n():
    similarity = compare(SIMILARITY, [0.4, 0.6] * 50, [0.4, 0.6] * 50)

    assert similarity.interval == pytest.approx((-0.03, 0.03))


def test_scores_without_an_upper_end_that_are_all_equal_have_no_interval():
    result = compare(DISTANCE, [2] * 50, [2] * 50)

    assert (result.interval, result.verdict) == (None, "cannot_tell")


def test_a_constant_difference_has_an_interval_with_a_width():
    result = of_differences(np.full(40, 2.0), Scale("maximize", binary=False, low=0))

    low, high = result.interval
    assert result.verdict == "better"
    assert 0 < low < 2 <= high


@pytest.mark.parametrize("n", [10, 20, 30])
@pytest.mark.parametrize("sign", [-1, 1])
def test_a_constant_difference_that_is_left_open_has_an_interval_that_holds_zero(n, sign):
    losses, rare_gain = np.full(n, -0.1), np.where(np.arange(n) == 0, 0.9, -0.1)
    sets = [columns(SIMILARITY_WITHOUT_END, np.zeros(n), sign * d) for d in (losses, rare_gain)]

    (_, constant), _ = against_baseline(sets, 0)

    assert constant.verdict == "cannot_tell"
    assert constant.interval[0] <= 0 <= constant.interval[1]
    assert constant.interval_90[0] <= 0 <= constant.interval_90[1]


def test_the_kind_decides_the_method_and_not_the_data():
    distances = [0, 1] * 20, [1, 0, 1, 1] * 10

    assert compare(DISTANCE, *distances).interval_method == "studentised"
    assert compare(MATCH, *distances).interval_method == "tango"


@pytest.mark.parametrize(
    ("baseline", "variant", "verdict"),
    [([], [], None), ([NONE], [0.3], None), ([0.5], [0.7], "cannot_tell"), ([1e308, 0], [-1e308, 1], None)],
)
def test_data_that_say_nothing_give_no_interval_and_a_reason(baseline, variant, verdict):
    result = compare(SIMILARITY, baseline, variant)

    assert (result.verdict, result.interval) == (verdict, None)
    assert result.reason


def noisy(seed, n=60, shift=0.0):
    return chance(seed).random(n) * 0.5 + shift


def test_swapping_the_variants_of_the_primary_mirrors_the_answer_exactly():
    first, second, third = noisy(1), noisy(2, shift=0.1), noisy(3, shift=0.2)

    forwards = all_pairs(columns(SIMILARITY, first, second, third))
    rotated = all_pairs(columns(SIMILARITY, third, first, second))

    assert forwards.comparison(0, 1) == rotated.comparison(1, 2)
    assert forwards.comparison(2, 0) == rotated.comparison(0, 1)
    assert forwards.comparison(0, 1).interval == tuple(
        -end for end in forwards.comparison(1, 0).interval[::-1]
    )
    assert forwards.comparison(0, 1).mirrored().mirrored() == forwards.comparison(0, 1)


def test_the_primary_is_over_the_rows_that_all_variants_have():
    pairs = all_pairs(columns(SIMILARITY, [0.1, 0.2, NONE, 0.4], [0.2, 0.3, 0.4, 0.5], [0.2, NONE, 0.4, 0.6]))

    assert pairs.n == 2
    assert {difference.n for difference in pairs.comparisons.values()} == {2}
    assert pairs.comparison(0, 1).baseline_mean == pytest.approx(0.25)


def test_the_secondary_family_has_pairs_of_its_own():
    first = columns(SIMILARITY, [0.1, 0.2, NONE], [0.3, 0.4, 0.5], [0.3, NONE, NONE])

    families = against_baseline([first, columns(SIMILARITY, [0.1], None, [0.2])], 0)

    assert [family and family.n for family in families[0]] == [None, 2, 1]
    assert [family and family.n for family in families[1]] == [None, None, 1]


def test_twins_of_an_evaluator_cost_nothing():
    one_evaluator = columns(SIMILARITY, noisy(1), noisy(2, shift=0.08))

    (alone,), repeated = against_baseline([one_evaluator], 0), against_baseline([one_evaluator] * 8, 0)

    assert all(row[1].interval == pytest.approx(alone[1].interval, abs=1e-6) for row in repeated)
    assert all(row[1].p_corrected == alone[1].p_corrected for row in repeated)


def test_other_evaluators_widen_the_interval_and_raise_the_p():
    sets = [columns(SIMILARITY, noisy(seed), noisy(seed + 50, shift=0.05)) for seed in range(10)]

    alone, together = against_baseline(sets[:1], 0)[0][1], against_baseline(sets, 0)[0][1]

    assert together.interval[0] < alone.interval[0]
    assert together.p_corrected > alone.p_corrected
    assert together.critical > 2.3 > alone.critical


def test_columns_with_too_few_changes_take_no_power():
    sets = [columns(SIMILARITY, noisy(1), noisy(2, shift=0.08))]
    still = columns(SIMILARITY, noisy(3), noisy(3))

    alone, together = against_baseline(sets, 0), against_baseline([*sets, still, still], 0)

    assert alone[0][1] == together[0][1]


def test_imputed_scores_are_counted():
    marks = np.array([False, True, True, False])
    pair = [Column(np.array([0.1, 0.2, 0.3, NONE])), Column(np.array([0.0, 0.0, 0.4, 0.5]), marks)]

    assert against_baseline([ColumnSet(SIMILARITY, pair)], 0)[0][1].imputed == 2
    assert all_pairs(ColumnSet(SIMILARITY, pair)).comparison(0, 1).imputed == 2


def clustered(seed, clusters=20, size=10, shift=0.0):
    labels = np.repeat(np.arange(clusters), size)
    draw = chance(seed)
    return draw.normal(shift, 1, clusters)[labels] + draw.normal(0, 1, len(labels)), labels


def test_examples_of_one_cluster_are_not_many_examples():
    d, labels = clustered(4, shift=0.3)

    naive, honest = of_differences(d), of_differences(d, labels=labels)

    assert np.ptp(honest.interval) > 1.8 * np.ptp(naive.interval)
    assert honest.p_corrected > naive.p_corrected
    assert honest.clusters == 20


def test_clusters_never_narrow_an_interval():
    labels = np.repeat(np.arange(30), 2)
    cancelling = np.tile([1.0, -0.9], 30) + chance().normal(0, 0.1, 60)

    naive, grouped = of_differences(cancelling), of_differences(cancelling, labels=labels)

    assert grouped.interval[0] <= naive.interval[0]
    assert grouped.interval[1] >= naive.interval[1]
    assert grouped.p >= naive.p


def test_clusters_whose_differences_cancel_are_clusters_too():
    labels = np.repeat(np.arange(10), 2)
    d = np.concatenate([np.tile([1.0, -1.0], 5), np.full(10, 0.5)])

    assert of_differences(d, labels=labels).df == 9


def test_tied_pairs_of_a_cluster_are_not_centred_and_cancelling_ones_are():
    labels = np.array([0, 0, 1, 1, 2, 2])
    zeros = Scores(Column(np.zeros(6)))
    differences = Scores(Column(np.array([1.0, -1.0, 1.0, 0.0, 1.0, 1.0])))

    clusters = compute([(zeros, differences)], DISTANCE, slice(None), labels, 2.0)[0].clustered

    assert clusters.centred() == pytest.approx([0 - 2 * 0.6, 1 - 0.6, 2 - 2 * 0.6])


def test_equal_clusters_have_the_standard_error_of_their_means():
    d, labels = clustered(7)
    means = d.reshape(20, 10).mean(axis=1)

    assert of_differences(d, labels=labels).standard_error == pytest.approx(stats.sem(means))


def test_one_cluster_gives_no_verdict():
    result = of_differences(np.arange(1.0, 30), labels=[3] * 29)

    assert (result.verdict, result.interval) == ("cannot_tell", None)
    assert result.reason


def test_the_same_data_under_other_labels_give_the_same_bits():
    d, labels = clustered(4, shift=0.3)

    assert of_differences(d, labels=labels) == of_differences(d, labels=1000 - 7 * labels)


def test_margins_follow_the_ninety_percent_interval():
    d = chance().normal(0.0, 0.1, 400)

    def words(shift, margin, direction="maximize"):
        scale = Scale(direction, binary=False, low=0, margin=margin)
        return of_differences(d - d.mean() + shift, scale).equivalence

    assert words(0, 0.02) == "equivalent"
    assert words(0, 0.005) is None
    assert words(0.05, 0.02) == "not_worse"
    assert words(-0.05, 0.02) is None
    assert words(-0.05, 0.02, "minimize") == "not_worse"
    assert words(0, None) is None


def test_a_comparison_without_verdict_keeps_its_figures():
    result = compare(SIMILARITY, noisy(1), noisy(2))

    stripped = without_verdict(result, "Mixed versions.")

    assert (stripped.verdict, stripped.p, stripped.interval, stripped.reason) == (
        None, None, None, "Mixed versions.",
    )  # fmt: skip
    assert stripped.difference == result.difference


def test_a_primary_that_did_not_score_a_variant_is_refused():
    with pytest.raises(ValueError, match="every variant"):
        all_pairs(columns(SIMILARITY, [0.1], None))


def test_results_can_be_compared_and_hold_plain_numbers():
    result = compare(MATCH, *pass_and_fail(9, 3, 40))

    for value in dataclasses.asdict(result).values():
        assert type(value) in (bool, int, float, str, tuple, type(None))


def test_an_end_without_limit_lies_no_nearer_than_a_far_one():
    # 20 units reach R = 4.47 at most: just below, Student's t is 16; above, it has no limit.
    figures = Figures(20, difference=0.5, span=3.0)

    far, farther = (around(figures, (q, q), 0.3, 20) for q in (4.31, 4.48))

    assert farther[0] <= far[0] < far[1] <= farther[1]


# ---- sums ----------------------------------------------------------------------------------------------------


LONG = 2 * CHUNK + 77  # three parts


def scored_pair():
    """Two long columns of all magnitudes, each without some of its scores."""
    a, b = chance().normal(0, 1, (2, LONG)) * 10.0 ** chance(1).integers(-6, 6, LONG)
    a[chance(2).random(LONG) < 0.1], b[chance(3).random(LONG) < 0.1] = NONE, NONE
    return a, b


def test_sums_of_long_columns_are_exact():
    a, b = scored_pair()
    both = np.isfinite(a) & np.isfinite(b)
    d = (b - a)[both]

    [found] = compute([(Scores(Column(a)), Scores(Column(b)))], DISTANCE, slice(None), None, 1.0)

    sums = [math.fsum(powers.tolist()) for powers in (d, d * d, d * d * d)]
    assert (found.n, found.difference * found.n, found.squares, found.cubes) == (
        len(d), *(pytest.approx(total, rel=1e-15) for total in sums),
    )  # fmt: skip
    assert found.mean == pytest.approx(math.fsum(b[both].tolist()) / len(d), rel=1e-15)
    none = 1e-12 * max(np.nanmax(np.abs(a)), np.nanmax(np.abs(b)))
    assert (found.rises, found.falls) == ((d > none).sum(), (d < -none).sum())


def test_pairs_that_are_summed_together_have_the_figures_of_each_alone():
    values = chance(4).normal(0, 1, (5, 90)) * 10.0 ** np.arange(-3, 7, 2)[:, None]
    values[1, ::7], values[3, ::5], values[4] = NONE, NONE, 1e120
    pairs = [*itertools.combinations([Scores(Column(column)) for column in values], 2)]

    together = compute(pairs, DISTANCE, slice(0), None, 1.0)

    alone = [compute([pair], DISTANCE, slice(0), None, 1.0)[0] for pair in pairs]
    without = {"row_differences": None}
    assert [dataclasses.replace(one, **without) for one in together] == [
        dataclasses.replace(one, **without) for one in alone
    ]
    assert {one.n for one in together} == {90, 77, 72, 90 - 13 - 18 + 3}
    assert any(one.too_large for one in together)


def test_another_order_of_rows_gives_the_same_bits():
    a, b = scored_pair()
    labels = chance(4).integers(0, 50, LONG)
    order = chance(5).permutation(LONG)

    first, second = (
        compute(
            [(Scores(Column(a[o])), Scores(Column(b[o])))], DISTANCE, np.zeros(0, np.intp), labels[o], 1.0
        )[0]
        for o in (slice(None), order)
    )

    assert first.clustered.sums.tolist() == second.clustered.sums.tolist()
    without = {"row_differences": None, "clustered": None}
    assert dataclasses.replace(first, **without) == dataclasses.replace(second, **without)


def test_rows_that_do_not_count_are_in_no_sum():
    a, b = scored_pair()
    where = np.isfinite(a) & np.isfinite(b) & (np.arange(LONG) % 3 > 0)

    some, cut = (
        compute(
            [(Scores(Column(a), mask), Scores(Column(b), mask))], DISTANCE, np.zeros(0, np.intp), None, 1.0
        )[0]
        for a, b, mask in ((a, b, where), (a[where], b[where], None))
    )

    without = {"row_differences": None}
    assert dataclasses.replace(some, **without) == dataclasses.replace(cut, **without)


@pytest.mark.parametrize("missing", [0, 5], ids=["complete", "some missing"])
def test_long_columns_are_not_copied(missing):
    values = chance().random((2, 2_000_000))
    values[0, :missing] = NONE
    long = ColumnSet(SIMILARITY, [*map(Column, values)])
    all_pairs(long)  # what is kept of it is not counted

    tracemalloc.start()
    all_pairs(long)
    against_baseline([long], 0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 2 * values[0].nbytes


def heavy_tailed(chance):
    """Large differences of one sign, small ones, and a trifle of the other sign."""
    large = chance.lognormal(0, 2, chance.integers(6, 60))
    return np.r_[large, -(10.0 ** chance.uniform(-13, -1)) * large.max()]


@pytest.mark.long
def test_a_clear_winner_with_one_trifling_loss_is_better():
    for seed in range(300):
        d = heavy_tailed(chance(seed))

        result = of_differences(d, SIMILARITY_WITHOUT_END)

        assert (result.verdict == "better") == (result.p_corrected <= 0.05) == (result.interval[0] > 0)


@pytest.mark.parametrize("small", [1e-9, 1e-5, 1e-3, 0.1, 1.0])
@pytest.mark.parametrize("losses", [1, 7, 400])
def test_tilted_weights_make_the_mean_zero(small, losses):
    d = np.r_[np.linspace(0.4, 1.0, 20), np.full(losses, -small)]

    k = tilt.tilt(d)
    weights = np.exp(k * d - (k * d).max())

    assert abs(weights @ d) <= 1e-6 * (weights @ np.abs(d))


# ---- the order of rows and columns, and the far ends -------------------------------------------------------------


def nasty_table(chance, n, variants):
    """Scores of several variants: continuous, of one decimal, of 0 and 1, or with holes."""
    scores = chance.beta(2, 1, (variants, n)) + chance.normal(0, 0.2, (variants, n))
    kind = chance.integers(4)
    if kind == 1:
        return np.round(scores, 1)
    if kind == 2:
        return (scores > 0.6) * 1.0
    if kind == 3:
        scores[chance.random(scores.shape) < 0.1] = np.nan
    return scores


@pytest.mark.long
@pytest.mark.parametrize(("n", "tables"), [(12, 12), (60, 12), (2_500, 3)])
def test_no_digit_depends_on_the_order_of_rows_variants_and_evaluators(n, tables):
    for seed in range(tables):
        random = chance(seed)
        tables_of_evaluators = [nasty_table(random, n, 4) for _ in range(2)]
        rows, variants = random.permutation(n), random.permutation(4)
        first, *_ = tables_of_evaluators
        labels = random.integers(0, n // 3, n)

        plain = all_pairs(columns(SIMILARITY_WITHOUT_END, *first))
        shuffled = all_pairs(columns(SIMILARITY_WITHOUT_END, *first[variants][:, rows]))
        for i, j in itertools.permutations(range(4), 2):
            assert shuffled.comparison(i, j) == plain.comparison(variants[i], variants[j])

        pairs = [columns(SIMILARITY_WITHOUT_END, *table) for table in tables_of_evaluators]
        turned = [
            columns(SIMILARITY_WITHOUT_END, *table[variants][:, rows]) for table in tables_of_evaluators[::-1]
        ]
        grouping = declared("doc", labels, pairs[0])
        regrouped = declared("doc", labels[rows], turned[1])
        baseline = int(np.flatnonzero(variants == 0)[0])
        by_order = against_baseline(pairs, 0, grouping), against_baseline(turned, baseline, regrouped)[::-1]
        for one, other in zip(*by_order, strict=True):
            assert [one[variant] for variant in variants] == other


def test_far_ends_are_about_as_wide_as_those_of_bonferroni_and_stay_in_range():
    rates, n, widths = (0.95, 0.93, 0.90, 0.75, 0.70, 0.25), 100, []
    for seed in range(6):
        hardness = chance(seed).random(n)
        scores = [
            (0.6 * hardness + 0.4 * chance(100 * seed + k).random(n) < rate) * 1.0
            for k, rate in enumerate(rates)
        ]
        pairs = all_pairs(columns(SIMILARITY, *scores)).comparisons.values()
        t = stats.t.ppf(1 - 0.025 / len(pairs), n - 1)
        for pair in pairs:
            low, high = pair.interval
            assert -1 <= low < high <= 1
            if pair.standard_error and pair.changed > 5:
                widths.append((high - low) / (2 * t * pair.standard_error))

    assert np.median(widths) <= 1.1
    assert max(widths) <= 1.35


def test_groups_of_an_evaluator_that_did_not_score_the_baseline_are_no_error():
    scored = columns(SIMILARITY, noisy(1), noisy(2))
    grouping = declared("doc", np.arange(len(noisy(1))) // 2, scored)

    _, (first, second) = against_baseline([scored, columns(SIMILARITY, None, noisy(3))], 0, grouping)

    assert (first, second) == (None, None)


def test_the_far_end_of_a_sparse_column_is_that_of_resamples_with_its_ties():
    chance = np.random.default_rng(31)
    d = np.r_[np.zeros(180), chance.uniform(-0.9, -0.2, 20)]
    pair = ColumnSet(Scale("maximize", binary=False), [Column(np.zeros(len(d))), Column(d)])
    low, _ = against_baseline([pair], 0)[0][1].interval

    drawn = d[chance.integers(0, len(d), (20_000, len(d)))]
    errors = drawn.std(axis=1, ddof=1) / np.sqrt(len(d))
    t = (drawn.mean(axis=1) - d.mean()) / errors

    expected = d.mean() - np.quantile(t, 0.975) * d.std(ddof=1) / np.sqrt(len(d))
    assert low == pytest.approx(expected, rel=0.03)
