"""An experiment with more variants than can be compared."""

import pytest

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
    assert "At most 20 variants are compared" in text_of(answer)
