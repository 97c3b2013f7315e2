"""What a rater's browser receives tells neither variant nor run, model, scores or other raters."""

import pytest
from django.urls import reverse

from evaluations.labelling import rating, tasks
from evaluations.models import Run
from tests import factories

pytestmark = pytest.mark.django_db


def test_nothing_in_a_raters_pages_names_the_variant_or_the_run(client, alice, label_set, project):
    experiment = factories.experiment(project, references=[f"r{n}" for n in range(100)])
    for variant in ("quokka", "wombat"):
        factories.scored_run(experiment, [f"an answer {n}" for n in range(100)], variant)
    Run.objects.update(about={"model": "gpt-numbat"})
    task = tasks.create(
        label_set, alice, list(Run.objects.order_by("pk")), tasks.Plan(size=100, seed=3, overlap=0)
    )
    client.force_login(alice)
    pages = 0

    client.post(reverse("labeltask-begin", args=[task.pk]))
    while seat := rating.held(rating.rater_of(task, alice)):
        answer = client.get(reverse("labeltask-rate", args=[task.pk]))
        received = f"{answer.content.decode()} {answer.headers}"
        assert not [word for word in ("quokka", "wombat", "numbat", "/runs/") if word in received]
        stored = {"item": seat.item.token, "lease": seat.lease, "value": "pass"}
        client.post(reverse("label-create", args=[task.pk]), stored)
        pages += 1

    assert pages == 200
