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

    table = [row[2:4] for row in export.summary(compared) if len(row) > 4]

    assert table[1:] == [["best", "next"], ["next", "base"], ["best", "base"]]
    assert " for next, " in compared.sentence.text
