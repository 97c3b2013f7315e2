"""The sentence of two of several variants."""

import numpy as np
import pytest

from evaluations.comparisons.comparison import Comparison
from tests.comparisons import columns

pytestmark = pytest.mark.django_db


def test_a_pair_of_several_variants_has_a_sentence_of_its_own(project):
    experiment = columns.experiment(project, 60, ["rouge_l"])
    low, same, high = (
        columns.run(experiment, name, [np.linspace(start, start + 0.5, 60)])
        for name, start in (("March", 0.1), ("May", 0.1), ("April", 0.4))
    )
    sentence = Comparison([low, same, high], low).sentence

    said = "".join(words for _, words in sentence.of_pair(low, same))
    assert said.startswith("No clear difference between May and March")
    assert sentence.of_pair(low, high) == []  # the first line says it
