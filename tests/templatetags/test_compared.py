"""Scores in the list of compared examples."""

import pytest
from django.utils.html import strip_tags

from evaluations.results.rows import Score
from evaluations.templatetags.compared import score
from evaluations.web.comparisons.example_rows import ScoreCell


def cell(scored: Score | None, verdict: str = "", change: float | None = None) -> ScoreCell:
    return ScoreCell("mini", scored, 2, verdict, change)


def test_a_score_has_its_number_and_its_change():
    html = score(cell(Score(0.256, None, "scored"), "worse", -0.5))

    assert '<data value="0.256">0.26</data>' in html
    assert 'data-verdict="worse"' in html
    assert "−0.50" in strip_tags(html)


@pytest.mark.parametrize(
    ("scored", "words"),
    [
        (None, "– not scored"),
        (Score(None, None, "missing_expected"), "no reference"),
        (Score(None, None, "sealed"), "sealed"),
    ],
)
def test_a_missing_score_says_why(scored, words):
    assert strip_tags(score(cell(scored))) == words


def test_the_reason_of_a_missing_score_is_escaped():
    html = score(cell(Score(None, None, "error", '"><script>')))

    assert 'title="&quot;&gt;&lt;script&gt;"' in html
