"""Whether a score passes, as pages show it."""

import pytest
from django.utils.safestring import SafeString

from evaluations.results.rows import Score
from evaluations.templatetags import compared
from evaluations.templatetags.scores import ShownScore, outcome, score_cell
from evaluations.web.comparisons.example_rows import ScoreCell
from evaluations.web.comparisons.pair import StripScore
from tests.pages import text_of


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        (Score(1.0, True, "ok"), "pass"),
        (Score(0.0, False, "missing_actual"), "fail"),
        (Score(0.5, None, "ok"), ""),
        (Score(None, None, "missing_expected"), "no reference"),
        (None, "not scored"),
    ],
)
def test_a_score_passes_or_fails_or_says_why_it_does_neither(score, expected):
    assert text_of(outcome(score)) == expected


def test_a_score_of_0_or_1_has_the_same_word_and_icon_in_every_table():
    """In a run's rows, in compared rows and in strips of all variants; a number that passes is left unmarked."""
    for value, word, symbol in ((0.0, "fail", "#cross"), (1.0, "pass", "#check")):
        score = Score(value, value == 1, "scored")
        cell = ScoreCell("a run", score, 2, "", None, "right")
        dot = StripScore(SafeString("a run"), value, 2, "right", SafeString(), False)
        shown = ShownScore(word, f"{value}", score.passed, True)
        for drawn in (score_cell(shown), compared.score(cell), compared.strip_score(dot)):
            assert text_of(drawn).removeprefix("a run").strip() == word
            assert symbol in drawn
    assert "<svg" not in score_cell(ShownScore("0.80", "0.8", True))
    assert "#cross" in score_cell(ShownScore("0.20", "0.2", False))
