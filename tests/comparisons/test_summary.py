"""The first sheet of a workbook, which people read."""

import numpy as np
import pytest

from evaluations.comparisons import export
from evaluations.comparisons.comparison import Comparison
from tests.comparisons import columns

pytestmark = pytest.mark.django_db


def test_the_lead_of_the_sentence_has_a_row(project):
    experiment = columns.experiment(project, 60, ["rouge_l"])
    draw = np.random.default_rng(2)
    runs = [
        columns.run(experiment, name, [draw.uniform(low, low + 0.2, 60)])
        for name, low in (("base", 0.1), ("next", 0.4), ("best", 0.7))
    ]
    compared = Comparison(runs, runs[0])

    table = [[row[1], row[3]] for row in export.summary(compared) if len(row) > 4]

    assert table[1:] == [["best", "next"], ["best", "base"], ["next", "base"]]
    assert " for next, " in compared.sentence.text


def test_differences_of_shares_are_points_and_every_verdict_is_a_word(project):
    experiment = columns.experiment(project, 20, ["exact_match", "contains"])
    nothing = [np.nan] * 20
    runs = [
        columns.run(experiment, name, [[1.0] * right + [0.0] * (20 - right), scores])
        for name, right, scores in (("base", 2, [1.0, *nothing[1:]]), ("next", 12, [0.0, *nothing[1:]]))
    ]

    titles, *rows = [row for row in export.summary(Comparison(runs, runs[0])) if len(row) > 4]
    told = dict(zip(titles, rows[0], strict=True))

    assert (told["mean"], told["its mean"], told["difference"]) == (0.6, 0.1, pytest.approx(50.0))
    assert (told["better"], told["worse"], told["tied"]) == (10, 0, 10)
    assert {row[titles.index("verdict")] for row in rows} <= {
        "better",
        "worse",
        "no clear difference",
        "no verdict",
    }


def test_it_says_of_a_filtered_view_that_its_figures_are_of_all_examples(project):
    experiment = columns.experiment(project, 20, ["exact_match"])
    runs = [columns.run(experiment, name, [[1.0] * 20]) for name in ("a", "b")]
    compared = Comparison(runs, runs[0])

    told = [row[0] for row in export.summary(compared, 15, 20) if len(row) == 1]
    whole = [row[0] for row in export.summary(compared, 20, 20) if len(row) == 1]

    line = "The sheet of examples has 15 of 20 examples, as the page was filtered; the figures here are of 20 examples."
    assert line in told
    assert not [words for words in whole if "filtered" in words]


def test_a_subset_that_the_verdict_names_has_a_row_and_so_has_what_is_beside_it(project):
    languages = ["German"] * 40 + ["English"] * 80
    experiment = columns.experiment(project, 120, ["rouge_l"], [{"language": one} for one in languages])
    draw = np.random.default_rng(3)
    base = draw.uniform(0.4, 0.6, 120)
    new = base + np.where(np.arange(120) < 40, -0.3, 0.25) + draw.normal(0, 0.02, 120)
    runs = [columns.run(experiment, name, [scores]) for name, scores in (("base", base), ("new", new))]

    compared = Comparison(runs, runs[0])
    titles, *rows = [row for row in export.summary(compared) if len(row) > 4]

    told, other = [dict(zip(titles, row, strict=True)) for row in rows if "only" in row[0]]
    assert "German" in compared.sentence.text
    assert (told["evaluator"], told["examples"], told["verdict"]) == (
        f"{compared.figures.primary.name}, German only",
        40,
        "worse",
    )
    assert told["difference"] == pytest.approx((new - base)[:40].mean())
    assert (other["evaluator"], other["verdict"]) == (
        f"{compared.figures.primary.name}, English only",
        "better",
    )
    assert other["difference"] == pytest.approx((new - base)[40:].mean())
