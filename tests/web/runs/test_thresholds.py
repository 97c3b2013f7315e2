"""Saving a threshold on its page, and the links from its counts."""

import pytest

from evaluations.evaluators import evaluators
from tests import factories
from tests.pages import markup

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(project):
    experiment = factories.experiment(project, "levenshtein_similarity", references=["Paris", "Rome", "Oslo"])
    return factories.scored_run(experiment, ["Paris", "Rom", "xxxx"], "short")


def test_a_threshold_is_saved_as_the_next_version(client, alice, run):
    client.force_login(alice)
    evaluator = run.scorings.get().evaluator_version.evaluator

    answer = client.post(f"/runs/{run.pk}/thresholds/", {"evaluator": evaluator.pk, "threshold": "0.6"})

    evaluator.refresh_from_db()
    assert answer.url == f"/evaluators/{evaluator.pk}/"
    assert evaluator.version == 2
    assert evaluators.newest(evaluator).config["threshold"] == 0.6


def test_a_threshold_that_is_no_number_is_refused(client, alice, run):
    client.force_login(alice)

    answer = client.post(f"/runs/{run.pk}/thresholds/", {"threshold": "high"})

    assert answer.status_code == 400
    assert run.scorings.get().evaluator_version.evaluator.version == 1


def test_the_count_of_passes_leads_to_exactly_those_examples(client, alice, run):
    client.force_login(alice)

    page = client.get(f"/runs/{run.pk}/thresholds/?threshold=0.75")
    passed = page.context["variants"][0].passed
    listed = client.get(f"/runs/{run.pk}/?{page.context['passing']}")

    assert passed == 2
    assert len(listed.context["rows"]) == passed
    assert f"/runs/{run.pk}/?evaluator=" in markup(page)


def test_scores_of_0_and_1_have_no_threshold_to_choose(client, alice, project):
    run = factories.scored_run(factories.experiment(project), ["Paris", "Lyon", "Oslo"])
    client.force_login(alice)

    page = markup(client.get(f"/runs/{run.pk}/thresholds/"))

    assert "Every threshold between 0 and 1 passes the same answers" in " ".join(page.split())
    assert 'type="range"' not in page
    assert " as v2</button>" not in page


def test_other_scores_have_a_threshold_to_choose(client, alice, run):
    client.force_login(alice)

    page, moved = (
        markup(client.get(f"/runs/{run.pk}/thresholds/{query}")) for query in ("", "?threshold=0.3")
    )

    assert 'type="range"' in page
    assert " as v2</button>" not in page, "it is saved already"
    assert "Save 0.300 as v2</button>" in moved
