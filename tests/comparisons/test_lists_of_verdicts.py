"""The verdict in a row of a list says what the page of the experiment says below its own."""

import pytest

from evaluations.comparisons.overviews import load
from evaluations.statistics.sentences import text
from tests import factories

pytestmark = pytest.mark.django_db
REFERENCES = [f"answer {number}" for number in range(60)]
WRONG = "something else"


def row(project, outputs: dict[str, list[str | None]]) -> str:
    experiment = factories.experiment(project, references=REFERENCES)
    for variant, answers in outputs.items():
        factories.scored_run(experiment, answers, variant)
    [overview] = load([experiment])
    assert overview.comparison
    return text(overview.comparison.sentence.brief)


HALF = [answer if number % 2 else WRONG for number, answer in enumerate(REFERENCES)]
SILENT_WHERE_WRONG = [answer if number % 2 else None for number, answer in enumerate(REFERENCES)]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (HALF, SILENT_WHERE_WRONG, "No clear difference"),
        (
            [*HALF[:50], *REFERENCES[50:]],
            [*REFERENCES[:35], *[None] * 25],
            "No clear difference; counting only answers with a score: new better",
        ),
        (HALF, REFERENCES, "new better"),
    ],
)
def test_a_row_says_which_verdict_is_another_among_answers_with_a_score(project, old, new, said):
    assert row(project, {"old": old, "new": new}) == said


def test_a_row_says_that_nothing_is_right(project):
    wrong = [WRONG] * len(REFERENCES)

    assert row(project, {"old": wrong, "new": [*wrong[1:], "nor this"]}) == (
        "No clear difference: nothing counts as right in any answer"
    )
