"""Of two variants of an experiment with more, one verdict counts: that among all."""

import pytest
from django.urls import reverse

from evaluations.experiments import experiments
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

    assert "Of these 2 alone: b is better than a" in text_of(page)
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


def test_long_names_are_cut_in_what_is_not_comparable(alices, project):
    name = "a variant with a long name " * 6
    evaluators = [factories.evaluator(project, kind) for kind in ("exact_match", "levenshtein_similarity")]
    dataset = factories.dataset(project, ["Paris"] * 8)
    experiment = experiments.create(project, None, "Long", dataset, evaluators)
    factories.scored_run(experiment, ["Rome"] * 8, "base")
    run = factories.scored_run(experiment, ["Paris"] * 8, name.strip())
    run.scorings.filter(evaluator_version__evaluator=evaluators[1]).delete()

    [warning] = alices.get(f"/experiments/{experiment.pk}/").context["warnings"]

    shown = warning["message"].partition(" lacks scores of")[0]
    assert "…" in shown
    assert len(shown) <= 40
