"""Which evaluators a button can score with, where they lack scores of some variants."""

import numpy as np
import pytest

from evaluations.comparisons.comparison import Comparison
from evaluations.labelling import sets
from evaluations.values import Status
from tests.comparisons import columns

pytestmark = pytest.mark.django_db


def test_labels_of_people_are_not_offered_to_be_scored_by_a_button(project, alice):
    experiment = columns.experiment(project, 60, ["rouge_l"])
    first, second = (columns.run(experiment, name, [np.linspace(0.1, 0.5, 60)]) for name in ("a", "b"))
    label_set = sets.create(project, alice, "people", {})
    columns.store(first, sets.newest_of(label_set), np.ones(60), np.zeros(60, np.uint8))

    found = Comparison([first, second], first).evaluators
    assert (found.uneven, found.scorable) == ([label_set], [])


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Helpful", "Helpful: people labelled 50 of 60 examples"),
        ("people", "People labelled 50 of 60 examples"),
    ],
)
def test_labels_of_people_on_a_part_are_told_by_their_number(project, alice, name, told):
    experiment = columns.experiment(project, 60, ["rouge_l"])
    runs = [columns.run(experiment, name, [np.linspace(0.1, 0.5, 60)]) for name in ("a", "b")]
    labels = sets.newest_of(sets.create(project, alice, name, {}))
    lacks = np.arange(60) >= 50
    for run in runs:
        columns.store(run, labels, np.where(lacks, np.nan, 1.0), np.where(lacks, Status.NOT_SENT, 0))

    messages = [warning["message"] for warning in Comparison(runs, runs[0]).warnings]

    assert f"{told}; the others are excluded from its own figures." in messages
