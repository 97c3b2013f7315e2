"""An experiment with more variants than can be compared."""

import pytest

from evaluations.comparisons.alignment import sides
from tests import factories
from tests.pages import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def twenty_two(project):
    experiment = factories.experiment(project)
    for number in range(1, 23):
        factories.scored_run(experiment, variant=f"variant {number}")
    return experiment


@pytest.mark.parametrize("page", ["/", "/p/default/experiments/"])
def test_lists_name_the_experiment(client, alice, twenty_two, page):
    client.force_login(alice)

    assert twenty_two.name in text_of(client.get(page, follow=True))


def test_its_page_compares_the_baseline_and_the_newest(client, alice, twenty_two):
    client.force_login(alice)

    answer = client.get(f"/experiments/{twenty_two.pk}/")

    compared = [side.run.variant for side in answer.context["comparison"].sides]
    assert compared == ["variant 1", *(f"variant {number}" for number in range(4, 23))]
    assert "At most 20 variants and 100 runs are compared" in text_of(answer)


def test_a_variant_with_very_many_runs_is_the_mean_of_the_newest(client, alice, project, monkeypatch):
    monkeypatch.setattr(sides, "MOST_REPEATS", 4)
    experiment = factories.experiment(project)
    runs = [factories.scored_run(experiment, variant=variant) for _ in range(3) for variant in ("old", "new")]
    client.force_login(alice)

    answer = client.get(f"/experiments/{experiment.pk}/?repeats=mean")

    compared = [[run.pk for run in side.runs] for side in answer.context["comparison"].sides]
    assert compared == [[runs[2].pk, runs[4].pk], [runs[3].pk, runs[5].pk]]
    assert "runs are compared: here the baseline and the newest" in text_of(answer)
