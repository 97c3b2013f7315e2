"""The sample that a new project can load."""

import pytest

from evaluations.experiments import samples
from evaluations.models import Dataset, Example, Experiment, Run
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def scored_sample(project, alice) -> Experiment:
    return factories.scored_sample(project, alice)


def test_the_sample_is_scored_by_the_engine(scored_sample):
    summaries = [s.summary for run in Run.objects.all() for s in run.scorings.all()]

    assert Example.objects.count() == 60
    assert {run.status for run in Run.objects.all()} == {Run.Status.COMPLETED}
    assert len(summaries) == 12
    assert all(summary["n"] == 60 for summary in summaries)


def test_the_variants_of_the_sample_differ_in_quality(scored_sample):
    means = {
        run.variant: run.scorings.order_by("pk").first().summary["mean"] for run in scored_sample.runs.all()
    }

    assert means["with our rules"] > means["current prompt"] + 0.2


def test_loading_the_sample_twice_is_loading_it_once(project, alice):
    first, second = samples.load(project, alice), samples.load(project, alice)

    assert first == second
    assert Dataset.objects.count() == 1
