"""Of two variants of an experiment with more, one verdict counts: that among all."""

import pytest
from django.urls import reverse

from tests import factories
from tests.pages import markup, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def three(project):
    experiment = factories.experiment(project, references=["Paris"] * 24)
    answers = {"a": "Lyon", "b": "Paris", "c": "Rome"}
    return [factories.scored_run(experiment, [answer] * 24, name) for name, answer in answers.items()]


def test_a_headline_that_does_not_count_says_so_first_and_leads_to_the_one_that_does(client, alice, three):
    client.force_login(alice)
    page = client.get(f"{reverse('compare')}?runs={three[0].pk},{three[1].pk}")

    assert "Of these 2 alone, which is not the verdict that counts: b is better than a" in text_of(page)
    own = reverse("experiment-detail", args=[three[0].experiment_id])
    within = f"{own}?variant={three[1].pk}&amp;with={three[0].pk}"
    assert f'href="{within}"' in page.content.decode()
    assert client.get(within.replace("&amp;", "&")).status_code == 200


def test_all_variants_of_an_experiment_have_the_verdict_that_counts(client, alice, three):
    client.force_login(alice)
    page = client.get(f"{reverse('compare')}?runs={','.join(str(run.pk) for run in three)}")

    assert "that counts" not in text_of(page)


def test_the_heading_counts_the_runs_of_which_only_two_are_side_by_side(client, alice, three):
    more = [factories.scored_run(three[0].experiment, [name] * 24, name) for name in ("d", "e")]
    client.force_login(alice)
    page = client.get(f"{reverse('compare')}?runs={','.join(str(run.pk) for run in [*three, *more])}")

    assert "Experiments 5 runs compared" in text_of(page)
    assert "<title>5 runs compared" in markup(page)
