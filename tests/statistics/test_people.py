"""Agreement with people, and means of labels that a judge makes narrower: values of other programs, and coverage."""

import numpy as np
import pytest
from scipy.stats import binom

from evaluations.statistics.intervals import Z
from evaluations.statistics.people import agreement, more, scales, strata
from evaluations.statistics.people.krippendorff import alpha
from evaluations.statistics.people.scales import ppi_mean
from evaluations.statistics.people.strata import Sample, estimate
from evaluations.statistics.people.transferred import Errors, transferred
from tests.statistics import people_tables

NO = np.nan
# four raters of twelve units: the example of Krippendorff (2011), Computing Krippendorff's Alpha-Reliability
FOUR = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NO, NO, NO],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NO, 3],
    [NO, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NO],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NO],
]
# by the package krippendorff 0.8
ALPHAS = {"nominal": 0.743421052631579, "ordinal": 0.8153875037548814, "interval": 0.8491071428571428}
GRADES = np.array([[50, 10, 3, 1], [8, 40, 9, 2], [2, 11, 30, 7], [0, 3, 6, 18]])
# by sklearn.metrics.cohen_kappa_score and statsmodels.stats.inter_rater.cohens_kappa, which agree in 15 digits
KAPPAS = {"none": 0.5757492815108799, "linear": 0.6747538677918424, "quadratic": 0.7643732327992461}
# 1 000 judged answers, 600 of which pass; of 50 labels in each part, 40 and 10 pass
LABELS = np.array([1] * 40 + [0] * 10 + [NO] * 550 + [1] * 10 + [0] * 40 + [NO] * 350)
JUDGED = np.repeat([1.0, 0.0], [600, 400])


@pytest.mark.parametrize("level", ALPHAS)
def test_alpha_is_that_of_the_package(level):
    found = alpha(np.array(FOUR, float), level)
    assert found.value == pytest.approx(ALPHAS[level], abs=1e-9)
    low, high = found.interval
    assert 0 < low < found.value < high < 1


def test_alpha_needs_two_values_and_shared_items():
    assert alpha(np.array([[1.0, NO], [NO, 2.0]])).value is None
    assert alpha(np.array([[1.0, 1.0], [1.0, 1.0]])).value is None


@pytest.mark.parametrize("weights", KAPPAS)
def test_kappa_is_that_of_other_packages(weights):
    assert float(agreement.kappa(GRADES, weights)) == pytest.approx(KAPPAS[weights], abs=1e-9)


def test_kappa_and_ac1_disagree_where_nearly_all_items_pass():
    table = np.array([[90.0, 5.0], [5.0, 0.0]])
    assert float(agreement.kappa(table)) == pytest.approx(-0.0526, abs=1e-4)
    assert float(agreement.ac1(table)) == pytest.approx(0.8895, abs=1e-4)


def test_errors_stand_by_the_class_that_people_gave():
    people, judge = np.repeat([1, 1, 0, 0], [101, 10, 26, 63]), np.repeat([1, 0, 1, 0], [101, 10, 26, 63])
    found = agreement.of_pairs(people, judge, 2)
    assert (found.agreed, found.n) == (164, 200)
    fails, passes = found.rates
    assert (passes.count, passes.of, fails.count, fails.of) == (101, 111, 63, 89)
    # Wilson's, by statsmodels.stats.proportion.proportion_confint
    assert passes.interval == pytest.approx((0.8420685326, 0.9503282284), abs=1e-9)
    assert found.kappa.interval[0] < 0.629 < found.kappa.interval[1] < 0.75


def test_digits_do_not_depend_on_the_order_of_the_labels():
    people, judge = np.repeat([1, 1, 0, 0], [31, 6, 9, 14]), np.repeat([1, 0, 1, 0], [31, 6, 9, 14])
    mixed = np.random.default_rng(0).permutation(60)
    clusters = np.arange(60) // 2
    assert agreement.of_pairs(people, judge, 2, clusters) == agreement.of_pairs(
        people[mixed], judge[mixed], 2, clusters[mixed]
    )


def test_peers_have_no_first():
    found = agreement.of_peers([[1, 1], [0, 1], [1, 0], [0, 0], [1, 1, 0]], 2)
    assert found.agreed == pytest.approx(2 + 1 / 3)  # of three labels, one pair of three agrees
    assert found.table[0][1] == pytest.approx(found.table[1][0])


def test_thirty_agreements_are_no_proof_of_the_next():
    found = agreement.of_pairs(np.repeat([0, 1], 15), np.repeat([0, 1], 15), 2)
    assert found.kappa.value == 1
    assert found.kappa.interval[0] < 0.95


def test_post_stratified_mean_is_that_worked_by_hand():
    found = estimate(Sample(LABELS, JUDGED, 0.0, 1.0))
    assert found.value == pytest.approx(0.56)
    assert found.interval == pytest.approx((0.472379, 0.636234), abs=1e-6)
    whole = estimate(Sample(LABELS, JUDGED, 0.0, 1.0, is_whole=True))
    assert whole.interval == pytest.approx((0.474294, 0.634025), abs=1e-6)


def test_ppi_is_that_of_ppi_py():
    given = np.isfinite(LABELS)
    found = ppi_mean(LABELS[given], JUDGED[given], JUDGED[~given], is_normal=True)
    # ppi_py.ppi_mean_pointestimate and ppi_mean_ci, 0.2
    assert found.value == pytest.approx(0.5624375, abs=1e-9)
    assert found.interval == pytest.approx((0.48193556795, 0.64293943205), abs=1e-9)
    assert ppi_mean(LABELS[given], JUDGED[given], JUDGED[~given]).interval[0] < found.interval[0]


def test_transferred_rate_is_that_of_lang_and_reiczigel():
    value, interval = transferred(550, 900, Errors(50, 40, 50, 40))
    assert (value, *interval) == pytest.approx((0.691774, 0.545442, 0.857009), abs=1e-6)
    assert transferred(550, 900, Errors(50, 28, 50, 28)) is None


def test_a_difference_in_three_strata():
    judged = np.repeat([1.0, 0.0, -1.0], [167, 558, 75])
    labels = np.full(800, NO)
    labels[:46] = [1] * 30 + [0] * 12 + [-1] * 4
    labels[167:299] = [1] * 17 + [0] * 107 + [-1] * 8
    labels[725:747] = [1] * 2 + [0] * 5 + [-1] * 15
    found = estimate(Sample(labels, judged, -1.0, 1.0))
    assert found.value == pytest.approx(0.1101, abs=1e-4)
    assert found.interval == pytest.approx((0.037, 0.181), abs=1e-3)
    assert (found.labels, found.judged, found.saved) == (200, 800, 52)
    p = strata.p_value(
        lambda level: strata.interval_at(Sample(labels, judged, -1.0, 1.0), level), found.value
    )
    assert p == pytest.approx(0.003, abs=1e-3)


def test_unanswered_examples_are_known_without_labels():
    known = np.zeros(1_000, bool)
    known[550:600] = True
    labels = np.where(known, 0.0, LABELS)
    found = estimate(Sample(labels, JUDGED, 0.0, 1.0, known))
    assert found.labels == 100
    assert found.value == pytest.approx(0.55 * 0.8 + 0.4 * 0.2)


def test_scores_of_a_formula_are_cut_into_fifths_with_enough_labels():
    chance = np.random.default_rng(2)
    scores = chance.random(500)
    labels = np.full(500, NO)
    labels[:60] = (scores[:60] + chance.normal(0, 0.3, 60) > 0.5).astype(float)
    found = estimate(Sample(labels, scores, 0.0, 1.0))
    assert len(found.strata) == 5
    assert min(s.labelled for s in found.strata) >= strata.FEWEST
    assert found.saved > 0
    few = estimate(Sample(np.where(np.arange(500) < 12, labels, NO), scores, 0.0, 1.0))
    assert min(s.labelled for s in few.strata) >= strata.FEWEST


def test_labels_of_people_who_all_agree_keep_a_width():
    labels = np.full(400, NO)
    labels[:40] = 0.0
    found = estimate(Sample(labels, np.zeros(400), -1.0, 1.0))
    assert found.interval[0] < 0 < found.interval[1]


@pytest.mark.parametrize(("rate", "judge", "m"), [(0.55, (0.9, 0.7), 100), (0.97, (0.97, 0.7), 50)])
def test_helped_means_hold_the_truth(rate, judge, m):
    helped, _ = people_tables.means(rate, judge, m, 200)
    assert 0.91 <= helped.share <= 0.99


def test_a_judge_that_guesses_saves_nothing():
    chance = np.random.default_rng(4)
    truth = (chance.random(1_319) < 0.5).astype(float)
    found = estimate(
        Sample(
            people_tables.labelled(chance, truth, 200), people_tables.judged(chance, truth, 0.5, 0.5), 0, 1
        )
    )
    assert (found.saved, found.as_good_as) == (0, 200)


def test_the_best_of_twenty_rubrics_looks_better_than_sealed_labels_say():
    opened, sealed = people_tables.best_of(20, 50, 200)
    assert opened - sealed > 0.05


@pytest.mark.slow
def test_helped_means_of_four_models_hold_the_known_accuracies():
    singles, pairs = people_tables.of_models(0.88, 200, 1_000)
    assert [round(helped.truth * people_tables.ANSWERS) for helped, _ in singles.values()] == [
        286,
        458,
        515,
        742,
    ]
    for helped, _ in [*singles.values(), *pairs.values()]:
        assert 0.93 <= helped.share <= 0.98


@pytest.mark.slow
def test_a_judge_right_in_88_percent_narrows_means_by_a_quarter_and_differences_by_a_fifth():
    singles, pairs = people_tables.of_models(0.88, 200, 100, is_whole=False)
    assert all(0.2 <= 1 - helped.width / alone.width <= 0.28 for helped, alone in singles.values())
    assert all(0.1 <= 1 - helped.width / alone.width <= 0.23 for helped, alone in pairs.values())


# The widths of the mean of 100 labels, helped and alone: eight lines of numpy, 4 000 draws.
WIDTHS = [(people_tables.SKEWED, 0.288, 0.346), (people_tables.SPREAD, 0.367, 0.473)]


@pytest.mark.parametrize(("shares", "helped", "alone"), WIDTHS, ids=["skewed", "spread"])
def test_helped_grades_cover_and_are_narrower(shares, helped, alone):
    mean, mean_alone, gap, gap_alone = people_tables.grades(shares, 100, 400)
    assert mean.width == pytest.approx(helped, rel=0.03)
    assert mean_alone.width == pytest.approx(alone, rel=0.03)
    assert mean.share >= 0.915
    assert 0.925 <= gap.share <= 0.975
    assert mean.width < 0.85 * mean_alone.width
    assert gap.width < 0.92 * gap_alone.width


def test_a_guessing_judge_of_grades_saves_nothing():
    chance = np.random.default_rng(3)
    saved = []
    for _ in range(100):
        grades = chance.integers(1, 6, 500).astype(float)
        labels = np.full(500, np.nan)
        labels[:120] = grades[:120]
        sample = strata.Sample(labels, chance.integers(1, 6, 500).astype(float), 1, 5)
        saved.append(scales.estimate(sample).saved)
    assert sum(number > 0 for number in saved) <= 4


def test_helped_grades_of_unanswered_examples_need_no_label():
    grades = np.tile([1.0, 3.0, 5.0], 100)
    known = np.arange(300) < 100
    labels = np.where(np.arange(300) < 220, grades, np.nan)
    labels[known] = 1.0
    found = scales.estimate(strata.Sample(labels, np.where(known, 1.0, grades), 1, 5, known))
    assert (found.labels, found.judged) == (120, 300)
    assert found.value == pytest.approx((100 + grades[100:].sum()) / 300, abs=1e-3)
    assert (
        scales.estimate(strata.Sample(np.where(np.arange(300) < 150, labels, np.nan), grades, 1, 5, known))
        is None
    )


# ---- how many more ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [0.05, 0.2])
@pytest.mark.parametrize("ratio", [0.0, 0.5, 1.0, 1.5])
def test_so_many_labels_more_decide_in_four_of_five_cases(ratio, error):
    """The observed difference is `ratio` errors; the true one is spread around it by the error and by what is usual."""
    labels, repeats, seen = 50, 20_000, ratio * error
    added = more.to_decide(seen, (seen - Z * error, seen + Z * error), labels)
    chance = np.random.default_rng(2)
    true = chance.normal(0, more.USUAL, 60 * repeats)
    alike = chance.choice(
        true, repeats, p=(like := np.exp(-((true - seen) ** 2) / error**2 / 2)) / like.sum()
    )
    new = alike + chance.normal(0, error * np.sqrt(labels / added), repeats)
    together = (labels * seen + added * new) / (labels + added)
    decided = np.abs(together) > Z * error * np.sqrt(labels / (labels + added))
    assert abs(decided.mean() - 0.8) < 0.02


def test_enough_of_so_many_labels_are_sealed_in_four_of_five_cases():
    for needed in (1, 5, 30):
        labels = more.to_hold(needed, 0.5)
        assert binom.sf(needed - 1, labels, 0.5) >= 0.8 > binom.sf(needed - 1, labels - 1, 0.5)
    assert more.to_hold(0, 0.5) == 0


# ---- parts of a sample -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rates", [(0.9, 0.6, 0.2), (0.97, 0.5, 0.97)])
def test_weighed_means_hold_the_truth(rates):
    """Parts of 700, 250 and 50 answers, of which 30 each are labelled: the plain mean of the labels misses it."""
    held, plain = people_tables.in_parts(rates, (700, 250, 50), 30, 400)
    assert 0.93 <= held.share <= 0.99
    assert plain.share < 0.5 or rates[0] == rates[2]
