"""What a rater's browser receives tells neither variant nor run, model, scores or other raters."""

import pytest
from django.test import Client
from django.urls import reverse

from evaluations.labelling import links, rating, sets, tasks
from evaluations.models import Rater, Run
from tests import factories

pytestmark = pytest.mark.django_db
SECRET = ("quokka", "wombat", "numbat", "/runs/", "rated by bob")


@pytest.fixture
def two(project):
    """Two variants of one model, of whose names nothing is to be seen."""
    experiment = factories.experiment(project, references=[f"r{n}" for n in range(6)])
    for variant in ("quokka", "wombat"):
        factories.scored_run(experiment, [f"an answer {n}" for n in range(6)], variant)
    Run.objects.update(about={"model": "gpt-numbat"})
    return list(Run.objects.order_by("pk"))


def pages_of(browser, task, rater):
    """Every page while everything is rated, with all its headers."""
    browser.post(reverse("labeltask-begin", args=[task.pk]))
    while seat := rating.held(rater()):
        answer = browser.get(reverse("labeltask-rate", args=[task.pk]))
        yield f"{answer.content.decode()} {answer.headers} {answer.cookies}"
        value = "left" if seat.item.other_id else "pass"
        stored = {"item": seat.item.token, "lease": seat.lease, "value": value, "note": "rated"}
        answer = browser.post(reverse("label-create", args=[task.pk]), stored)
        yield f"{answer.content.decode()} {answer.headers} {answer.cookies}"


@pytest.mark.long
def test_nothing_in_a_raters_pages_names_the_variant_or_the_run(client, alice, bob, label_set, two):
    task = tasks.create(label_set, alice, two, tasks.Plan(size=6, seed=3, raters=2, overlap=0))
    other = rating.rater_of(task, bob)
    seat = rating.begin(other)
    rating.rate(other, seat.item.token, seat.lease, "fail", "rated by bob")
    client.force_login(alice)

    received = list(pages_of(client, task, lambda: rating.rater_of(task, alice)))

    assert len(received) == 2 * 12
    assert not [page for page in received if any(word in page for word in SECRET)]


def test_nothing_in_the_pages_of_pairs_names_a_variant_or_a_run(project, alice, two):
    evaluator = sets.create(project, alice, "better", {"answers": "pair"})
    task = tasks.create(evaluator, alice, two, tasks.Plan(size=6, seed=3, overlap=0))
    browser = Client()
    joined = browser.post(reverse("rater-join", args=[links.create(task, alice)[1]]), {"name": "Ann"})

    received = [str(joined.headers), *pages_of(browser, task, lambda: Rater.objects.get(task=task))]

    assert len(received) == 1 + 2 * 6
    assert not [page for page in received if any(word in page for word in SECRET)]
