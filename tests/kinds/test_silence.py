"""What an answer that does not count leaves in run statistics: the same as an empty one."""

import numpy as np
import pytest

from evaluations import kinds
from evaluations.values import Column

REFERENCES = {"label": ["spam", "ham", "spam"], "number_closeness": [0.5, 0.25, 1.0]}
ANSWERS = {"label": ["spam", "spam", "ham"], "number_closeness": ["0.5", "0.75", "no number"]}
TEXTS = ["the cat sat on the mat", "a dog ran", "they saw a house"]
SAID = ["a cat sat on it", "a dog", "no house"]
COUNTED = [kind for kind in kinds.CATALOGUE.values() if kind.counting]


@pytest.mark.parametrize("kind", COUNTED, ids=lambda kind: kind.key)
def test_an_answer_that_does_not_count_is_counted_like_an_empty_one(kind):
    references = REFERENCES.get(kind.key, TEXTS)
    config, expected = kind.parse({}), Column(references)
    labels = [*dict.fromkeys(references)] if kind.reads_labels else []
    counting = kind.counting(config, labels)

    def counts(answers):
        return kind.evaluate(config, {"actual": Column(answers), "expected": expected}).counts

    answered = counts(ANSWERS.get(kind.key, SAID))
    silenced, empty = counting.silent(answered), counts([kind.silence] * len(references))

    assert not np.array_equal(counting.tallies(answered).total, counting.tallies(silenced).total)
    assert np.allclose(counting.tallies(silenced).total, counting.tallies(empty).total)
