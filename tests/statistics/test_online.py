"""The reuse of one test set."""

import os

import numpy as np
import pytest

from evaluations.statistics.inference import all_pairs
from evaluations.statistics.online import allowed, p_online, shrunken
from evaluations.statistics.terms import Column, ColumnSet, Scale

from .simulation import MATCH, Shared, of_family
from .tables import say

SCORES = Scale("maximize", False, 0, 1)


def test_all_comparisons_together_spend_at_most_five_percent_on_better():
    spent = sum(allowed(number) for number in range(1, 100_000))

    assert 0.095 <= spent <= 0.1001  # two-sided


def test_later_comparisons_need_more():
    ps = [p_online(0.003, number) for number in range(1, 30)]

    assert ps == sorted(ps)
    assert ps[0] <= 0.05 < ps[10]


@pytest.mark.parametrize("number", [1, 7, 40])
def test_better_is_confirmed_exactly_up_to_the_allowed_p(number):
    assert p_online(allowed(number), number) == pytest.approx(0.05)
    assert p_online(1.0, number) == 1.0


@pytest.mark.long
def test_equal_variants_shrink_to_their_average_and_different_ones_hardly():
    chance, noise, clear = np.random.default_rng(4), [], []
    for _ in range(20):
        base = chance.random(200)
        for shifts, kept in (([0] * 6, noise), ([0, 0.1, 0.2, 0.3, 0.4, 0.5], clear)):
            columns = [np.clip(base / 2 + s + chance.normal(0, 0.1, 200), 0, 1) for s in shifts]
            pairs = all_pairs(ColumnSet(SCORES, [Column(column) for column in columns]))
            means = [float(column.mean()) for column in columns]
            kept.append(np.std(shrunken(means, list(pairs.comparisons.values()))) / np.std(means))

    assert np.mean(noise) < 0.45
    assert np.mean(clear) > 0.98


def test_two_variants_are_not_shrunken():
    assert shrunken([0.2, 0.4], []) == [None, None]


def passes(chance, hardness):
    return (chance.random(len(hardness)) > hardness) * 1.0


def grades(chance, hardness):
    return np.clip(1 - hardness + chance.normal(0, 0.15, len(hardness)), 0, 1)


def history(chance, n, changes, answers, scale):
    """For each change without an effect, its corrected p against the same baseline if it looks better, else 1."""
    hardness = chance.beta(0.6, 1.2, n)
    base, source = answers(chance, hardness), Shared(int(chance.integers(1 << 30)))
    found = [
        of_family((answers(chance, hardness) - base)[None], scale, None, source)[0] for _ in range(changes)
    ]
    return [d.p_corrected if d.verdict == "better" else 1.0 for d in found]


def false_histories(answers, scale, n, histories, changes=40):
    """The shares of histories with any false "better": by the plain verdict, and confirmed by the online line."""
    chance, plain, confirmed = np.random.default_rng(n), 0, 0
    for _ in range(histories):
        ps = history(chance, n, changes, answers, scale)
        plain += min(ps) < 1
        confirmed += any(p_online(p, number) <= 0.05 for number, p in enumerate(ps, start=1))
    return plain / histories, confirmed / histories


@pytest.mark.slow
@pytest.mark.parametrize("n", [100, 200, 1_000])
@pytest.mark.parametrize(("answers", "scale"), [(passes, MATCH), (grades, SCORES)])
def test_histories_of_forty_empty_changes(answers, scale, n):
    histories = int(os.environ.get("HISTORIES", "300"))
    plain, confirmed = false_histories(answers, scale, n, histories)
    say(f"{answers.__name__} n={n}: plain {100 * plain:.1f} %, confirmed {100 * confirmed:.1f} %")

    assert confirmed <= 0.06
