"""Whether a score passes, as pages show it."""

import pytest

from evaluations.results.rows import Score
from evaluations.templatetags.scores import outcome
from tests.pages import text_of


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        (Score(1.0, True, "ok"), "pass"),
        (Score(0.0, False, "missing_actual"), "fail"),
        (Score(0.5, None, "ok"), "no threshold"),
        (Score(None, None, "missing_expected"), "missing expected"),
        (None, "not scored"),
    ],
)
def test_a_score_passes_or_fails_or_says_why_it_does_neither(score, expected):
    assert text_of(outcome(score)) == expected
