"""In random comparisons, interval, p and verdict agree, and sentences claim nothing else."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluations.statistics.clusters import declared
from evaluations.statistics.inference import against_baseline, all_pairs
from evaluations.statistics.law import draws
from evaluations.statistics.sentence_facts import Facts
from evaluations.statistics.sentences import brief, text, verdict
from evaluations.statistics.terms import ALPHA, Column, ColumnSet, Scale
from tests.statistics.lines import besides

SIZES = st.one_of(st.integers(1, 40), st.sampled_from([100, 500, 1999, 2000]))
SHAPES = ("noise", "ties", "constant", "one-sided", "shifted", "huge", "equal", "few", "pass and fail")
NASTY = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True)
def fewer_draws(monkeypatch):
    monkeypatch.setattr(draws, "DRAWS", 499)


def scores(shape, base, chance):
    n = len(base)
    makers = {
        "noise": lambda: base + chance.normal(0, 0.3, n),
        "ties": lambda: np.where(chance.random(n) < 0.9, base, base + chance.exponential(1, n)),
        "constant": lambda: base + 0.25,
        "one-sided": lambda: base + chance.exponential(0.2, n),
        "shifted": lambda: base + 0.1 + chance.normal(0, 0.1, n),
        "huge": lambda: base * 1e160,
        "equal": lambda: base.copy(),
        "few": lambda: base + np.where(np.arange(n) < 5, 0.5, 0),
        "pass and fail": lambda: (base + chance.normal(0, 0.2, n) > 0.5) * 1.0,
    }
    return makers[shape]()


@st.composite
def column_sets(draw, binary=False):
    n, chance = draw(SIZES), np.random.default_rng(draw(st.integers(0, 2**32)))
    base, columns = chance.random(n), []
    for shape in draw(st.lists(st.sampled_from(SHAPES), min_size=2, max_size=8)):
        values = scores("pass and fail" if binary else shape, base, chance)
        values[chance.random(n) < draw(st.sampled_from([0, 0, 0.1, 0.9]))] = np.nan
        columns.append(Column(values))
    scale = Scale(
        draw(st.sampled_from(["maximize", "minimize"])),
        binary,
        0.0 if binary else draw(st.sampled_from([None, 0.0])),
        1.0 if binary else None,
        margin=draw(st.sampled_from([None, 0.05])),
    )
    return ColumnSet(scale, columns)


SETS = st.booleans().flatmap(lambda binary: column_sets(binary=binary))


def holds(difference):
    """Assert the invariants of a difference."""
    figures = [value for value in vars(difference).values() if isinstance(value, float)]
    ends = [
        end
        for ends in (difference.interval, difference.interval_single, difference.interval_90)
        for end in ends or ()
    ]
    assert all(math.isfinite(figure) for figure in figures + ends)
    assert difference.wins + difference.losses + difference.ties == difference.n
    assert difference.interval is not None or difference.reason
    assert (difference.verdict is None) == (difference.p is None) == (difference.p_corrected is None)
    if difference.p is not None:
        assert difference.p <= difference.p_corrected <= 1
    decided = difference.verdict in ("better", "worse")
    assert decided == (
        difference.p_corrected is not None and difference.p_corrected <= ALPHA and difference.difference != 0
    )
    if difference.interval is None:
        assert not decided
        return
    low, high = difference.interval
    assert low < high
    slack = 1e-9 * max(abs(low), abs(high))
    assert low - slack <= difference.difference <= high + slack
    assert decided == (low > 0 or high < 0)
    assert difference.verdict != "better" or (low > 0) == (difference.direction == "maximize")
    for inner in (difference.interval_single, difference.interval_90):
        assert low - slack <= inner[0] <= inner[1] <= high + slack


@pytest.mark.long
@NASTY
@given(columns=SETS, clustered=st.booleans())
def test_interval_p_and_verdict_never_contradict_each_other(columns, clustered):
    n = len(columns.columns[0].values)
    grouping = declared("doc", np.arange(n) // 3, columns) if clustered else None

    pairs, (row,) = all_pairs(columns, grouping), against_baseline([columns], 0, grouping)

    for difference in [*pairs.comparisons.values(), *row[1:]]:
        holds(difference)
        holds(difference.mirrored())


@pytest.mark.long
@NASTY
@given(columns=SETS)
def test_clusters_never_narrow_and_never_decide(columns):
    n = len(columns.columns[0].values)
    grouping = declared("doc", np.arange(n) // 3, columns)

    ungrouped, grouped = all_pairs(columns), all_pairs(columns, grouping)

    for pair, wide in grouped.comparisons.items():
        narrow = ungrouped.comparisons[pair]
        assert narrow.verdict == wide.verdict or wide.verdict == "cannot_tell"
        if narrow.interval and wide.interval:
            assert wide.interval[0] <= narrow.interval[0]
            assert wide.interval[1] >= narrow.interval[1]


@pytest.mark.long
@NASTY
@given(columns=SETS)
def test_the_ranking_follows_the_verdicts(columns):
    pairs = all_pairs(columns)
    ranking, variants = pairs.ranking, range(len(columns.columns))

    for first, second in itertools.permutations(variants, 2):
        is_clear = pairs.comparison(first, second).verdict in ("better", "worse")
        assert is_clear == (not set(ranking.letters[first]) & set(ranking.letters[second]))
        if pairs.comparison(first, second).verdict == "better":
            assert ranking.order.index(second) < ranking.order.index(first)
            assert ranking.ranks[first][0] > 1
    assert sorted(ranking.order) == list(variants)


def claims(parts):
    return {role for role, _ in parts if role in ("better", "worse", "cannot_tell", "tied", "equivalent")}


@pytest.mark.long
@NASTY
@given(columns=SETS, second=SETS, baseline=st.integers(0, 1))
def test_sentences_claim_nothing_beyond_the_entries(columns, second, baseline):
    pairs, k = all_pairs(columns), len(columns.columns)
    padded = [*second.columns, *[None] * k][:k]
    secondary = {"chrF": against_baseline([ColumnSet(second.scale, padded)], baseline)[0]}
    page = Facts([f"v{number}" for number in range(k)], baseline, "Match", pairs, secondary=secondary)

    claimed, verdicts = (
        claims(verdict(page)),
        {difference.verdict for difference in pairs.comparisons.values()},
    )

    assert text(verdict(page)).endswith((".", ")"))
    if not pairs.n:
        assert not claimed
        assert text(brief(page)) == "No verdict"
        return
    if k == 2:
        only = pairs.comparison(baseline, 1 - baseline)
        assert claimed - {"equivalent"} == {
            only.verdict if only.verdict in ("better", "worse") else "cannot_tell"
        }
        assert ("equivalent" in claimed) == (only.equivalence == "equivalent")
    best = pairs.ranking.best
    if "tied" in claimed:
        tied = {pairs.comparison(*pair).verdict for pair in itertools.combinations(best, 2)}
        assert not {"better", "worse"} & tied
    if ("better", "best") in verdict(page):
        assert all(pairs.comparison(o, best[0]).verdict == "better" for o in range(k) if o != best[0])
    assert not claimed & {"better", "worse"} or verdicts & {"better", "worse"}
    secondary_verdicts = {difference and difference.verdict for difference in secondary["chrF"]}
    assert claims(besides(page)) <= secondary_verdicts


@pytest.mark.long
@NASTY
@given(columns=SETS)
def test_no_digit_depends_on_which_variant_comes_first(columns):
    forwards = all_pairs(columns)
    backwards = all_pairs(ColumnSet(columns.scale, columns.columns[::-1]))
    last = len(columns.columns) - 1

    for i, j in itertools.permutations(range(last + 1), 2):
        assert forwards.comparison(i, j).interval == backwards.comparison(last - i, last - j).interval
        assert forwards.comparison(i, j).p_corrected == backwards.comparison(last - i, last - j).p_corrected
