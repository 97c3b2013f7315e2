"""The tables of a page say what the comparison says."""

import numpy as np
import pytest

from evaluations.comparisons import tables
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.tables import Axis
from evaluations.statistics.terms import Comparison as Difference
from tests.comparisons import columns

STEADY = np.linspace(0, 0.1, 40)


@pytest.fixture
def comparison(project) -> Comparison:
    """Two variants that lead alike, the baseline, and one without any output; eight evaluators."""
    made = columns.experiment(project, 40, ["levenshtein_similarity"] * 7 + ["levenshtein_distance"])
    jitter = np.tile([0.02, -0.02], 20)
    means = {"base": 0.3 + STEADY, "high": 0.6 + STEADY, "as high": 0.6 + STEADY + jitter}
    for name, scores in means.items():
        columns.run(made, name, [scores] * 8)
    columns.run(made, "silent", [np.full(40, np.nan)] * 8)
    runs = list(made.runs.select_related("experiment__dataset").order_by("pk"))
    return Comparison(runs, runs[0])


@pytest.mark.django_db
def test_variants_are_ranked_rows_and_a_bracket_joins_equal_ranks(comparison):
    rows = tables.of_many(comparison).rows

    assert [row.rank for row in rows] == [(1, 2), (1, 2), (3, 3), None]
    assert [(row.opens, row.closes) for row in rows] == [
        (True, False),
        (False, True),
        (False, False),
        (False, False),
    ]
    assert [row.is_baseline for row in rows] == [False, False, True, False]
    assert (rows[3].name, rows[3].answered, rows[3].asked) == ("silent", 0, 40)


@pytest.mark.django_db
def test_beyond_six_secondary_evaluators_verdicts_are_counted(comparison):
    table = tables.of_many(comparison)

    assert (len(table.secondary), len(table.others)) == (6, 1)
    assert table.rows[0].others == {"worse": 1}  # A distance: higher is worse.
    assert table.rows[2].others == {}


@pytest.mark.django_db
def test_cells_are_the_entries_of_the_comparison(comparison):
    table = tables.of_many(comparison)
    row = table.rows[0]

    for head, cell in zip(table.secondary, row.cells, strict=True):
        paired = comparison.entry(row.side.run.pk, head.evaluator.pk).paired
        assert (cell.verdict, cell.interval, cell.difference) == (
            paired.verdict,
            paired.interval,
            paired.difference,
        )
        assert head.axis.low < paired.interval[0] < paired.interval[1] < head.axis.high


@pytest.mark.django_db
def test_two_variants_have_evaluators_as_rows_the_primary_first(project):
    made = columns.experiment(project, 40, ["levenshtein_similarity", "rouge_l"])
    columns.run(made, "base", [0.3 + STEADY, 0.3 + STEADY])
    columns.run(made, "other", [0.6 + STEADY, 0.2 + STEADY])
    runs = list(made.runs.select_related("experiment__dataset").order_by("pk"))

    table = tables.of_two(Comparison(runs, runs[0]))

    assert [row.is_primary for row in table.rows] == [True, False]
    assert [row.entry.paired.verdict for row in table.rows] == ["better", "worse"]
    assert table.rows[0].head.axis == table.rows[1].head.axis
    assert table.rows[0].head.versions == [1]


def test_an_axis_holds_all_intervals_and_zero():
    axis = Axis.of([Difference("maximize", difference=0.29, interval=(0.27, 0.31)), None])

    assert axis.place(0.0) < 0.1
    assert axis.place(0.31) > 0.9
    assert 0.0 in axis.ticks
    assert 3 <= len(axis.ticks) <= 7


def test_without_any_difference_an_axis_has_room():
    assert Axis.of([]).low < 0 < Axis.of([]).high
