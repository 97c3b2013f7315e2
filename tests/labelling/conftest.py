"""A task about two variants, and people who label in it."""

import pytest

from evaluations.labelling import rating, sets, tasks
from tests import factories


@pytest.fixture
def label_set(project, alice):
    return sets.create(project, alice, "people", {"question": "Is it right?", "guideline": "Facts decide."})


@pytest.fixture
def variants(project):
    experiment = factories.experiment(project)
    return [
        factories.scored_run(experiment, outputs, variant)
        for outputs, variant in (
            (("Paris", "Lyon", "Oslo"), "quokka one"),
            (("Bern", "Rome", "Rom"), "quokka two"),
        )
    ]


@pytest.fixture
def task(label_set, alice, variants):
    return tasks.create(label_set, alice, variants, tasks.Plan(size=3, seed=7, overlap=0))


@pytest.fixture
def rater(task, alice):
    return rating.rater_of(task, alice)
