"""Detection of subsets with another difference than the rest."""

import numpy as np
import pytest
from scipy import stats

from evaluations.statistics.subsets import (
    Differences,
    SubsetColumn,
    benjamini_hochberg,
    find,
    heterogeneity,
    quartiles,
)


def column(codes, names="abcdefgh", name="topic"):
    codes = np.asarray(codes, np.int64)
    return SubsetColumn(name, codes, tuple(names[: codes.max() + 1]))


def planted(chance, n=300, legal=43):
    """Better everywhere except on the topic "b", which has 43 examples."""
    codes = (np.arange(n) < legal).astype(np.int64)
    d = np.where(codes == 1, -0.46, 0.29) + chance.normal(0, 0.4, n)
    return Differences(d, "maximize"), column(codes)


def test_a_reversal_is_found_and_comes_first():
    differences, topics = planted(np.random.default_rng(1))
    noise = column(np.random.default_rng(2).integers(0, 5, 300), name="noise")

    findings = find({0: differences}, [noise, topics])

    assert (findings[0].column, findings[0].name, findings[0].n) == ("topic", "b", 43)
    assert (findings[0].reported, findings[0].opposes) == (True, True)
    assert not any(finding.reported for finding in findings if finding.column == "noise")


@pytest.mark.parametrize(("shift", "p", "is_reported"), [(0.40, 0.046, False), (0.42, 0.036, True)])
def test_the_level_leaves_room_for_a_silent_table(shift, p, is_reported):
    normal = stats.norm.ppf((np.arange(100) + 0.5) / 100)
    differences = Differences(np.concatenate([normal, normal + shift / 1.4]), "maximize")

    finding = find({0: differences}, [column(np.repeat([0, 1], 100))])[0]

    assert (finding.p_corrected, finding.reported) == (pytest.approx(p, abs=1e-3), is_reported)


def test_a_general_lead_is_no_finding():
    chance = np.random.default_rng(3)
    everywhere = Differences(chance.normal(0.5, 0.3, 400), "maximize")

    assert not any(
        finding.reported for finding in find({0: everywhere}, [column(chance.integers(0, 4, 400))])
    )


def test_without_skew_the_interaction_is_close_to_welchs_test():
    chance = np.random.default_rng(4)
    d, codes = chance.normal(0, 1, 2000), chance.integers(0, 4, 2000)

    for finding in find({0: Differences(d, "maximize")}, [column(codes)]):
        inside = codes == "abcd".index(finding.name)
        expected = stats.ttest_ind(d[inside], d[~inside], equal_var=False)
        assert finding.p == pytest.approx(expected.pvalue, rel=0.03, abs=1e-3)
        assert (finding.difference, finding.difference_outside) == pytest.approx(
            (d[inside].mean(), d[~inside].mean())
        )


def test_small_subsets_are_not_searched():
    codes = np.array([0] * 100 + [1] * 19 + [2] * 20)
    findings = find({0: Differences(np.random.default_rng(5).normal(0, 1, 139), "maximize")}, [column(codes)])

    assert {finding.name for finding in findings} == {"a", "c"}


def test_holes_and_slots_without_a_value_count_nowhere():
    d = np.random.default_rng(6).normal(0, 1, 100)
    d[:10] = np.nan
    codes = np.repeat([0, 1], 50)
    codes[90:] = -1

    sizes = {finding.name: finding.n for finding in find({0: Differences(d, "maximize")}, [column(codes)])}

    assert sizes == {"a": 40, "b": 40}


def test_estimates_are_shrunken_towards_the_whole():
    chance = np.random.default_rng(7)
    codes = np.repeat(np.arange(8), 50)
    d = chance.normal(0, 0.3, 8)[codes] + chance.normal(0, 1, 400)

    for finding in find({0: Differences(d, "maximize")}, [column(codes)]):
        ends = sorted([finding.difference, finding.overall])
        assert ends[0] <= finding.shrunken <= ends[1]


def test_the_correction_is_scipys():
    ps = np.random.default_rng(8).random(40) ** 3

    assert benjamini_hochberg(ps.tolist()) == pytest.approx(stats.false_discovery_control(ps))


def test_quartiles_are_named_by_their_range():
    by_quartile = quartiles(np.array([1.0, 2, 3, 4, 5, 6, 7, 8, np.nan]), "length")

    assert list(by_quartile.names) == ["up to 2", "3 to 4", "5 to 6", "above 6"]
    assert by_quartile.codes.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, -1]


def test_the_heterogeneity_is_welchs_test():
    chance = np.random.default_rng(13)
    codes = np.repeat(np.arange(4), [200, 300, 400, 500])
    d = chance.normal(0, 1, 1400) * (1 + codes) + 0.15 * codes

    p = heterogeneity(find({0: Differences(d, "maximize")}, [column(codes)]))

    expected = stats.f_oneway(*(d[codes == code] for code in range(4)), equal_var=False).pvalue
    assert p == pytest.approx(expected, rel=0.2)
    assert 0.001 < expected < 0.2


def test_one_subset_has_no_heterogeneity():
    assert heterogeneity([]) is None


@pytest.mark.parametrize("lead", [0.0, 0.183])
def test_without_a_planted_reversal_the_finder_is_silent(lead):
    silent = 0
    for seed in range(100):
        chance = np.random.default_rng(seed)
        columns = [column(chance.integers(0, 6, 300), name=str(k)) for k in range(5)]
        differences = Differences(chance.normal(lead, 0.4, 300), "maximize")
        silent += not any(subset.reported for subset in find({0: differences}, columns))

    assert silent >= 95


def test_a_planted_reversal_is_found_in_nearly_every_draw():
    hits = 0
    for seed in range(100):
        differences, topics = planted(np.random.default_rng(seed))
        noise = [column(np.random.default_rng(900 + k).integers(0, 6, 300), name=f"{k}") for k in range(5)]
        first = find({0: differences}, [*noise, topics])[0]
        hits += (first.column, first.name, first.opposes) == ("topic", "b", True)

    assert hits >= 95


def test_differences_that_rounding_alone_tells_apart_are_not_searched():
    base = np.random.default_rng(14).random(100)
    codes = np.repeat([0, 1], 50)

    assert find({0: Differences(base + 0.1 - base, "maximize")}, [column(codes)]) == []


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("exponent", [-900, 900])
def test_numbers_of_any_size_give_the_same_findings(exponent):
    differences, topics = planted(np.random.default_rng(1))
    size = 2.0**exponent
    scaled = Differences(differences.values * size, "maximize")

    found, of_scaled = (find({0: each}, [topics]) for each in (differences, scaled))

    assert [(f.p, f.difference, f.shrunken, f.error) for f in of_scaled] == [
        (f.p, f.difference * size, f.shrunken * size, f.error * size) for f in found
    ]
    assert heterogeneity(of_scaled) == heterogeneity(found)


def clustered(seed, is_within):
    """Differences of which 40 documents of ten examples share half; topics belong to documents, or to examples."""
    chance = np.random.default_rng(seed)
    documents = np.repeat(np.arange(40), 10)
    d = chance.normal(0.1, 1, 40)[documents] + chance.normal(0, 1, 400)
    topics = [
        chance.integers(0, 5, 400) if is_within else chance.integers(0, 5, 40)[documents] for _ in range(4)
    ]
    return (
        {0: Differences(d, "maximize")},
        [column(codes, name=str(k)) for k, codes in enumerate(topics)],
        documents,
    )


def alarms(is_within, uses_clusters):
    """How many of a hundred draws without an interaction report a subset."""
    counted = 0
    for seed in range(100):
        differences, columns, documents = clustered(seed, is_within)
        counted += find(differences, columns, documents if uses_clusters else None)[0].reported
    return counted


def test_subsets_of_whole_clusters_are_silent_where_nothing_differs():
    assert alarms(is_within=False, uses_clusters=False) > 50
    assert alarms(is_within=False, uses_clusters=True) <= 7


def test_subsets_across_clusters_are_silent_where_nothing_differs():
    assert alarms(is_within=True, uses_clusters=True) <= 7


def test_a_reversal_is_found_among_clusters():
    _, columns, documents = clustered(1, is_within=False)
    chance = np.random.default_rng(1)
    d = (
        np.where(columns[0].codes == 2, -1, 1)
        + chance.normal(0, 0.3, 40)[documents]
        + chance.normal(0, 1, 400)
    )

    first = find({0: Differences(d, "maximize")}, columns, documents)[0]

    assert (first.column, first.name, first.opposes) == ("0", "c", True)


def test_every_example_a_cluster_is_no_cluster():
    differences, topics = planted(np.random.default_rng(15))

    [first, *_], [alone, *_] = (
        find({0: differences}, [topics]),
        find({0: differences}, [topics], np.arange(300)),
    )

    assert (alone.p, alone.interval) == (
        pytest.approx(first.p, rel=0.2),
        pytest.approx(first.interval, rel=0.01),
    )


def test_quartiles_of_equal_numbers_are_one_range():
    assert list(quartiles(np.full(9, 4.0), "length").names) == ["up to 4"]


@pytest.mark.parametrize("values", [[], [np.nan] * 50, [0.0] * 50])
def test_nothing_to_search_finds_nothing(values):
    codes = np.zeros(len(values), np.int64)

    assert find({0: Differences(np.array(values), "maximize")}, [SubsetColumn("topic", codes, ("a",))]) == []


NULLS = {
    "normal": lambda chance, n: chance.normal(0.2, 1, n),
    "lognormal": lambda chance, n: chance.lognormal(0, 1, n),
    "pass and fail": lambda chance, n: (chance.random(n) < 0.15) * 1.0 - (chance.random(n) < 0.1),
}


@pytest.mark.slow
@pytest.mark.parametrize("null", NULLS)
@pytest.mark.parametrize("n", [200, 2000])
def test_at_most_5_percent_of_tables_without_an_interaction_report_a_subset(null, n):
    chance, alarms = np.random.default_rng(10), 0
    for _ in range(1000):
        columns = [column(chance.integers(0, 6, n), name=str(k)) for k in range(4)]
        alarms += find({0: Differences(NULLS[null](chance, n), "maximize")}, columns)[0].reported

    assert alarms / 1000 <= 0.06  # 2.5 standard errors above 4.5 %


def test_a_sentence_names_a_subset_without_a_word_with_its_column():
    """ "Worse on 29" tells nobody what 29 is."""
    column = SubsetColumn("topic", np.zeros(1, np.int8), ("29", "river", "2024-05"))

    assert [column.label(code) for code in range(3)] == ["topic 29", "river", "topic 2024-05"]
