"""What each answer took, beside the answers of an open example."""

import pytest

from evaluations.models import Answer, Output
from tests import factories
from tests.pages import text_of

pytestmark = pytest.mark.django_db


def test_an_open_example_says_how_long_its_answers_took_and_their_tokens(alices, project):
    experiment = factories.experiment(project, references=["a", "b"])
    runs = [factories.scored_run(experiment, ["a", "b"], name) for name in ("old", "new")]
    Output.objects.filter(run=runs[0]).update(latency_ms=480, tokens=12)
    Output.objects.filter(run=runs[1]).update(tokens=1)

    opened = text_of(alices.get(f"/experiments/{experiment.pk}/?open=1"))
    closed = text_of(alices.get(f"/experiments/{experiment.pk}/"))

    assert "480 ms, 12 tokens" in opened.replace("\u202f", " ")
    assert " 1 token " in opened
    assert "12 tokens" not in closed
    assert "Tokens 12" in text_of(alices.get(f"/runs/{runs[0].pk}/?row=1"))


def test_tokens_of_prompts_stand_beside_those_of_answers(alices, project):
    """Examples in a prompt make it long, and say nothing in the tokens of the answers."""
    answers = [*"abcdefghijkl"]
    experiment = factories.experiment(project, references=answers)
    runs = [factories.scored_run(experiment, answers, name) for name in ("short", "examples")]
    asked = {runs[0]: [100, 105, 110, 105] * 3, runs[1]: [440, 445, 442, 433] * 3}
    Answer.objects.bulk_create(
        Answer(run=run, position=number, tokens_in=count)
        for run, counts in asked.items()
        for number, count in enumerate(counts, 1)
    )

    page = text_of(alices.get(f"/experiments/{experiment.pk}/"))

    assert "examples is asked with 335 tokens more" in page
    assert "Prompt tokens mean of a prompt" in page
