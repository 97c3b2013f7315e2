"""Which evaluators a button can score with, where they lack scores of some variants."""

import numpy as np
import pytest

from evaluations.comparisons.comparison import Comparison
from evaluations.labelling import sets
from tests.comparisons import columns

pytestmark = pytest.mark.django_db


def test_labels_of_people_are_not_offered_to_be_scored_by_a_button(project, alice):
    experiment = columns.experiment(project, 60, ["rouge_l"])
    first, second = (columns.run(experiment, name, [np.linspace(0.1, 0.5, 60)]) for name in ("a", "b"))
    label_set = sets.create(project, alice, "people", {})
    columns.store(first, sets.newest_of(label_set), np.ones(60), np.zeros(60, np.uint8))

    found = Comparison([first, second], first).evaluators
    assert (found.uneven, found.scorable) == ([label_set], [])
