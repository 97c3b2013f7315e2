"""Long inputs and references have the button that copies them, as outputs do."""

import pytest

from evaluations.datasets import datasets
from evaluations.experiments import experiments
from tests import factories
from tests.pages import markup

pytestmark = pytest.mark.django_db(transaction=True)
COPY = 'aria-label="Copy the whole text"'
LONG = "a long text " * 40


def of_text(project, text: str):
    """A scored run about one example whose input and reference are this text; its output is short."""
    example = {"key": "k1", "inputs": {"q": text}, "reference": {"a": text}}
    dataset = datasets.create(project, None, f"of {len(text)}", [example])
    exact = factories.evaluator(project, name=f"exact {len(text)}")
    return factories.scored_run(
        experiments.create(project, None, f"of {len(text)}", dataset, [exact]), ["no"]
    )


@pytest.mark.parametrize(("text", "buttons"), [(LONG, 3), ("short", 1)])
def test_an_open_example_of_an_experiment(alices, project, text, buttons):
    run = of_text(project, text)

    assert markup(alices.get(f"/experiments/{run.experiment_id}/?open=1")).count(COPY) == buttons


@pytest.mark.parametrize(("text", "buttons"), [(LONG, 4), ("short", 2)])
def test_the_drawer_of_a_run(alices, project, text, buttons):
    """Its output, and all of it as JSON, have one in any case."""
    run = of_text(project, text)

    assert markup(alices.get(f"/runs/{run.pk}/?row=1")).count(COPY) == buttons


def test_texts_as_they_were_compared(alices, project):
    page = markup(alices.get(f"/runs/{of_text(project, LONG).pk}/?row=1"))

    assert 'aria-label="Copy the output as compared"' in page
    assert 'aria-label="Copy the reference as compared"' in page
