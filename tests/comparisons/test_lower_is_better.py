"""Scores of 0 and 1 where 1 is not wanted: the sentence says per cent, and which way is better."""

import numpy as np
import pytest

from evaluations.comparisons import notes
from evaluations.comparisons.comparison import Comparison
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments
from evaluations.statistics.wording import text
from tests.comparisons import columns

pytestmark = pytest.mark.django_db


def test_a_mean_of_flags_is_a_share_of_answers(project):
    dataset = columns.experiment(project, 60, []).dataset
    flags = evaluators.create(
        project, None, "flagged", "value", {"direction": "minimize", "labels": "1 = 1, 0 = 0"}, {}
    )
    experiment = experiments.create(project, None, "guards", dataset, [flags])
    before = np.array([1.0] * 30 + [0.0] * 30)
    after = np.array([1.0] * 6 + [0.0] * 51 + [np.nan] * 3)
    runs = [columns.run(experiment, name, [values]) for name, values in (("off", before), ("on", after))]

    compared = Comparison(runs, runs[0])
    told = text(compared.sentence.parts), notes.remarks(compared)
    verdict, beside = (said.replace("\u202f", " ") for said in told)

    assert verdict.startswith(
        "on is better than off on flagged (lower is better): 15.0 % of answers scored 1 against"
    )
    assert "50.0 %, −35.0 points" in verdict
    assert "Unanswered examples count as 1." in beside
