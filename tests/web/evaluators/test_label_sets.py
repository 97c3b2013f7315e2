"""The page of a label set: how far people agree, which evaluators are checked against them, and the seal."""

import pytest
from django.urls import reverse

from evaluations.comparisons.people import passports
from evaluations.labelling import sets, tasks
from evaluations.statistics.people.agreement import Agreement, Coefficient
from evaluations.web.evaluators.passports import Line, drawn
from tests import factories, judged, people
from tests.pages import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def stock(project, alice):
    return people.labelled(project, alice)


def at(stock):
    return reverse("evaluator-detail", args=[stock.label_set.pk])


def test_agreement_stands_on_the_page_of_the_label_set(client, alice, project, stock):
    judged.judge(project, stock)
    client.force_login(alice)
    before = text_of(client.get(at(stock)))
    assert "Person against person" in before
    assert "Not proven against people: judge v1" in before
    assert "answers it may have been tuned on)" in before
    assert "model judge v1" in before

    passports.open_sealed(stock.judge, stock.label_set, alice)
    after = text_of(client.get(at(stock)))
    assert "judge agrees best" in after or "too alike to tell" in after
    assert "Not proven against people: model judge v1" in after


def test_labels_that_agree_by_chance_say_so_and_rank_nobody(client, alice, project):
    chance = people.labelled(project, alice, agree=0.5, overlap=1)
    client.force_login(alice)
    page = text_of(client.get(at(chance)))
    assert "no more than by chance: sharpen the guideline" in page
    assert "No evaluator can be ranked" in page
    assert "more labels" not in page


def test_each_task_names_the_variants_that_it_asks_about(client, alice, project):
    experiment = factories.experiment(project)
    runs = [factories.scored_run(experiment, variant=name) for name in ("long prompt", "short prompt")]
    label_set = sets.create(project, alice, "helpful", {"question": "Is it good?"})
    for chosen in (runs[:1], runs):
        tasks.create(label_set, alice, chosen, tasks.Plan(size=2, seed=1, overlap=0))
    client.force_login(alice)

    page = client.get(reverse("evaluator-detail", args=[label_set.pk]))

    assert [one.variants for one in page.context["tasks"]] == [
        ["long prompt", "short prompt"],
        ["long prompt"],
    ]
    assert "short prompt" in text_of(page)


def test_a_label_set_without_labels_says_how_to_begin(client, alice, project):
    label_set = sets.create(project, alice, "empty", {"question": "Is it good?"})
    client.force_login(alice)
    page = text_of(client.get(reverse("evaluator-detail", args=[label_set.pk])))
    assert "Is it good?" in page
    assert "Nobody was asked yet" in page


def test_an_administrator_unseals_with_a_reason(client, alice, project, stock):
    alice.is_superuser = True
    alice.save()
    client.force_login(alice)
    address = reverse("labelset-unseal", args=[stock.label_set.pk])
    assert "Say why" in text_of(client.post(address, follow=True))
    told = text_of(client.post(address, {"reason": "We read them."}, follow=True))
    assert "We read them." in told
    assert "measure no further version" in told


def test_agreement_worse_than_by_chance_is_drawn_whole():
    worse = Agreement(
        9, 3, Coefficient(0.3), Coefficient(-0.49, (-0.61, -0.34)), Coefficient(None), rates=[], table=[]
    )
    shown = drawn([Line("Person against person", "", worse)])
    assert "−0.5" in shown["axis"]
    assert 'class="interval-point"' in shown["lines"][0].plot
    assert "beyond" not in shown["lines"][0].plot
