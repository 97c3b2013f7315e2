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

    assert table[1:] == [["best", "next"], ["next", "base"], ["best", "base"]]
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
