"""The promised error rates of the inference, on random data with a known truth.

The figures in docs/comparison.md come from here: `pytest -m slow tests/statistics/test_families.py -s` prints them. All
of `pytest -m slow tests/statistics` takes a quarter of an hour on one core.
"""

import sys

import numpy as np
import pytest

from evaluations.statistics import inference
from evaluations.statistics.clusters import detect
from evaluations.statistics.law import draws
from evaluations.statistics.terms import Column, ColumnSet

from . import simulation
from .simulation import BATCH, MATCH, SCORES, SIMULATIONS, compared


@pytest.fixture(autouse=True)
def fewer_draws(monkeypatch):
    monkeypatch.setattr(draws, "DRAWS", simulation.DRAWS)
    monkeypatch.setattr(inference, "WORKERS", 1)


def gains(chance, n):
    """Mean zero: one gain in ten offsets many small losses."""
    return np.where(chance.random(n) < 0.1, 0.9, -0.1)


EXCHANGEABLE = {
    "normal": lambda chance, n: chance.normal(0, 1, n),
    "difference of skewed": lambda chance, n: chance.beta(5, 0.4, n) - chance.beta(5, 0.4, n),
    "two decimals": lambda chance, n: np.round(chance.beta(4, 2, n) - chance.beta(4, 2, n), 2),
    "distances": lambda chance, n: chance.poisson(2, n) - chance.poisson(2, n) * 1.0,
    "half tied": lambda chance, n: np.where(chance.random(n) < 0.5, 0.0, chance.normal(0, 1, n)),
}
SKEWED = {
    "lognormal": lambda chance, n: chance.lognormal(0, 1, n) - np.exp(0.5),
    "one gain in ten": gains,
}


def of_differences(columns, scale=SCORES):
    """One family, computed by the product alone."""
    sets = [ColumnSet(scale, [Column(np.zeros(len(d))), Column(np.asarray(d, float))]) for d in columns]
    return [row[1] for row in inference.against_baseline(sets, 0)]


def rate(hits, name):
    share = float(np.mean(hits))
    sys.stdout.write(f"\n{name}: {100 * share:.1f} % of {len(hits)}\n")
    return share


def simulated(make, scale=SCORES, seed=17, simulations=SIMULATIONS):
    """Families of differences drawn by `make`, compared in batches."""
    chance, families = np.random.default_rng(seed), []
    while len(families) < simulations:
        batch = min(BATCH, simulations - len(families))
        families += compared([np.asarray(make(chance), float) for _ in range(batch)], scale)
    return families


def alarms(families):
    """The families with any verdict, although there is no difference."""
    return [any(difference.verdict in ("better", "worse") for difference in family) for family in families]


def family_error(make, n, columns, copies=1, scale=SCORES, simulations=SIMULATIONS):
    def family(chance):
        return [make(chance, n) for _ in range(columns)] * copies

    return alarms(simulated(family, scale, simulations=simulations))


def test_a_batch_of_one_family_equals_the_product():
    columns = np.random.default_rng(1).lognormal(0, 1, (3, 40)) - 1.2
    differences = of_differences(columns)

    assert list(compared([columns], SCORES, seed=differences[0].seed)) == [differences]


CAUTIOUS = "long tails at n = 30: the columns share the critical value of the one that looks most skewed"


@pytest.mark.slow
@pytest.mark.parametrize("columns", [1, 8])
@pytest.mark.parametrize("n", [30, 100, 500])
@pytest.mark.parametrize("shape", EXCHANGEABLE)
def test_where_nothing_changed_a_family_alarms_one_time_in_twenty(shape, n, columns):
    alarm_rate = rate(
        family_error(EXCHANGEABLE[shape], n, columns), f"exchangeable, {shape}, n {n}, {columns} columns"
    )

    assert alarm_rate <= 0.06
    assert alarm_rate >= 0.02 or (n, columns) == (30, 8), CAUTIOUS


@pytest.mark.slow
@pytest.mark.parametrize("n", [30, 200])
def test_twin_evaluators_change_no_error_rate(n):
    alarm_rate = rate(family_error(EXCHANGEABLE["normal"], n, 3, copies=5), f"copies, n {n}")

    assert 0.02 <= alarm_rate <= 0.06


@pytest.mark.slow
@pytest.mark.parametrize("columns", [1, 8])
@pytest.mark.parametrize("n", [30, 100, 500])
def test_pass_and_fail_alarm_at_most_one_time_in_twenty(n, columns):
    def match(chance, n):
        return (chance.random(n) < 0.6) * 1.0 - (chance.random(n) < 0.6)

    alarm_rate = rate(family_error(match, n, columns, scale=MATCH), f"pass and fail, n {n}, {columns}")

    assert 0.02 <= alarm_rate <= 0.06


@pytest.mark.slow
@pytest.mark.parametrize(("n", "maximum"), [(30, 0.09), (50, 0.09), (100, 0.07), (300, 0.07)])
@pytest.mark.parametrize("columns", [1, 5, 20])
@pytest.mark.parametrize("shape", SKEWED)
def test_skew_around_zero_deceives_seldom(shape, n, maximum, columns):
    alarm_rate = rate(family_error(SKEWED[shape], n, columns), f"skewed, {shape}, n {n}, {columns} columns")

    assert alarm_rate <= maximum


@pytest.mark.slow
@pytest.mark.parametrize("shape", SKEWED)
def test_skew_deceives_seldom_in_many_examples(shape):
    families = [of_differences([SKEWED[shape](chance, 3000) for _ in range(5)]) for chance in generators(300)]

    assert rate(alarms(families), f"skewed, {shape}, n 3000, 5 columns") <= 0.07


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.01, 0.002])
def test_rare_gains_deceive_seldom_in_many_examples(share):
    def rare(chance):
        return np.where(chance.random(3000) < share, 1 - share, -share)

    families = [of_differences([rare(chance)]) for chance in generators(SIMULATIONS)]

    assert rate(alarms(families), f"one gain in {1 / share:.0f}, n 3000") <= 0.07


def generators(count):
    """`count` generators with equal state."""
    chance = np.random.default_rng(17)
    return (chance for _ in range(count))


@pytest.mark.slow
@pytest.mark.parametrize("n", [30, 100])
def test_an_a_a_experiment_of_five_variants_alarms_one_time_in_twenty(n):
    def pairs(chance):
        difficulty = chance.random(n)
        answers = (chance.random((5, n)) < difficulty) * 1.0
        return [answers[j] - answers[i] for i in range(5) for j in range(i)]

    # At n = 30 pairs differ on ten examples, and a test of so few coins alarms in at most 4 % of all cases.
    alarm_rate = rate(alarms(simulated(pairs, MATCH, seed=5)), f"A/A, five variants, n {n}")

    assert (0.01 if n == 30 else 0.02) <= alarm_rate <= 0.06


GAINED = {
    "shift": (lambda chance, n: chance.normal(0.3, 1, n), 0.3),
    "rare gains": (lambda chance, n: np.where(chance.random(n) < 0.4, chance.random(n), 0), 0.2),
    "exponential": (lambda chance, n: chance.exponential(1, n), 1.0),
    "lognormal": (lambda chance, n: chance.lognormal(0, 1, n), np.exp(0.5)),
    "three values": (lambda chance, n: chance.choice([-0.5, 0, 0.5], n, p=[0.1, 0.5, 0.4]), 0.15),
    "ties 90 %, skewed": (
        lambda chance, n: np.where(chance.random(n) < 0.9, 0, chance.exponential(1, n) - 0.5),
        0.05,
    ),
}


# With 20 examples, or if ties leave only 2, 5 and 10 differences, a skewed tail is hardly visible.
LEAST = {
    ("lognormal", 20): 0.90,
    **dict.fromkeys((("ties 90 %, skewed", n) for n in (20, 50, 100)), 0.88),
}


@pytest.mark.slow
@pytest.mark.parametrize("n", [20, 50, 100, 200])
@pytest.mark.parametrize("shape", GAINED)
def test_intervals_hold_the_truth_nineteen_times_in_twenty(shape, n):
    make, truth = GAINED[shape]
    intervals = [
        difference.interval
        for [difference] in simulated(lambda chance: [make(chance, n)], seed=23)
        if difference.interval
    ]
    coverage = rate([low <= truth <= high for low, high in intervals], f"coverage, {shape}, n {n}")

    assert LEAST.get((shape, n), 0.93) <= coverage <= (0.985 if n == 20 else 0.975)


def documents(chance, sizes, icc):
    """Differences with mean zero and a correlation of `icc` within documents, and the documents."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    shared = chance.normal(0, 1, len(sizes))[labels]
    return np.sqrt(icc) * shared + np.sqrt(1 - icc) * chance.normal(0, 1, len(labels)), labels


PLANTED = {
    "20 of 5": lambda chance: [5] * 20,
    "10 of 10": lambda chance: [10] * 10,
    "60 of 5": lambda chance: [5] * 60,
    "30 of 10": lambda chance: [10] * 30,
    "30 of pareto": lambda chance: np.minimum(np.ceil(chance.pareto(1.5, 30) * 4), 100).astype(int),
}


@pytest.mark.slow
@pytest.mark.parametrize("icc", [0.1, 0.5])
@pytest.mark.parametrize("sizes", PLANTED)
def test_planted_clusters_are_found_and_allowed_for(sizes, icc):
    chance, alarms_raised = np.random.default_rng(9), []
    while len(alarms_raised) < SIMULATIONS:
        samples = [documents(chance, PLANTED[sizes](chance), icc) for _ in range(BATCH)]
        groupings = [
            detect(
                ColumnSet(SCORES, [Column(np.zeros(len(d))), Column(d)]),
                {"doc": labels, "other": chance.permutation(labels)},
            )
            for d, labels in samples
        ]
        alarms_raised += alarms(compared([d[None] for d, _ in samples], SCORES, groupings))

    assert rate(alarms_raised, f"planted clusters, {sizes}, icc {icc}") <= 0.07


@pytest.mark.slow
def test_power_is_that_of_a_t_test_where_the_t_test_holds():
    families = simulated(lambda chance: [chance.normal(0.28, 1, 100)], seed=3)

    assert (
        rate(
            [difference.verdict == "better" for [difference] in families],
            "power, d = 0.28, n 100 (t test: 79 %)",
        )
        >= 0.75
    )


def falls(chance, n):
    """The pass rate falls from 88 to 42 %: many losses of 1, and few gains of 1."""
    return (chance.random(n) < 0.42) * 1.0 - (chance.random(n) < 0.88)


@pytest.mark.slow
@pytest.mark.parametrize("n", [60, 100])
@pytest.mark.parametrize("further_variants", [0, 5])
def test_a_large_fall_is_clear_although_a_few_examples_gain(n, further_variants):
    families = simulated(lambda chance: [falls(chance, n), *chance.normal(0, 1, (further_variants, n))])
    power = rate(
        [family[0].verdict == "worse" for family in families],
        f"fall of 0.46, n {n}, {further_variants} others",
    )

    assert power >= 0.99


def test_a_fall_of_half_is_clear_in_sixty_examples():
    families = simulated(lambda chance: [falls(chance, 60)], simulations=100)

    assert np.mean([family[0].verdict == "worse" for family in families]) >= 0.95


@pytest.mark.long
@pytest.mark.parametrize("shape", ["normal", "lognormal"])
def test_noise_is_seldom_called_a_difference(shape):
    assert np.mean(family_error((EXCHANGEABLE | SKEWED)[shape], 40, 2, simulations=200)) <= 0.11
