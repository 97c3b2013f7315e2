"""A verdict under a column of few values: a caution where they look like a sample, else a remark that is folded."""

import numpy as np
import pytest

from evaluations.comparisons import notes
from evaluations.comparisons.comparison import Comparison
from tests.comparisons import columns

pytestmark = pytest.mark.django_db


def groups_note(project, values, effects):
    labels = np.arange(240) % len(values)
    metadata = [{"channel": values[label]} for label in labels]
    experiment = columns.experiment(project, 240, ["rouge_l"], metadata)
    base = np.random.default_rng(1).uniform(0.2, 0.4, 240)
    gains = np.array(effects)[labels] + np.random.default_rng(2).normal(0, 0.05, 240)
    runs = [
        columns.run(experiment, name, [values_of])
        for name, values_of in (("old", base), ("new", base + gains))
    ]
    found = notes.of(Comparison(runs, runs[0]))
    [note] = [note for note in found.every if note.topic == "groups"]
    return note, note in found.shown


def test_three_channels_are_no_caution(project):
    note, is_shown = groups_note(project, ["email", "chat", "phone"], [0.3, 0.0, 0.05])

    assert "holds for the 3 values of channel" in "".join(text for _, text in note.parts)
    assert (note.is_caution, is_shown) == (False, False)


def test_eight_values_that_look_like_a_sample_are_one(project):
    note, is_shown = groups_note(project, [*"abcdefgh"], [0.5, -0.2, 0.3, -0.15, 0.2, 0.0, 0.1, 0.05])

    assert (note.is_caution, is_shown) == (True, True)
