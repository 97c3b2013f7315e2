"""The page of two variants says how a judge helps people's labels, and `?estimate=labels` counts them alone."""

import pytest
from django.urls import reverse

from evaluations.comparisons.people import passports
from evaluations.experiments import experiments
from tests import people
from tests.pages import text_of

pytestmark = pytest.mark.django_db


@pytest.mark.long
def test_the_strata_stand_under_the_table(client, alice, project):
    stock = people.labelled(project, alice, examples=200, labels=100, overlap=0, rates=(0.4, 0.65))
    experiments.set_primary(stock.experiment, stock.label_set)
    passports.open_sealed(stock.judge, stock.label_set, alice)
    client.force_login(alice)
    address = reverse("experiment-detail", args=[stock.experiment.pk])
    assert "How judge helps" in text_of(client.get(address))
    assert "How judge helps" not in text_of(client.get(f"{address}?estimate=labels"))


def test_the_table_says_how_many_people_the_labels_are_of(client, alice, project):
    stock = people.labelled(project, alice, examples=30, labels=20, overlap=0.5)
    experiments.set_primary(stock.experiment, stock.label_set)
    client.force_login(alice)

    page = client.get(reverse("experiment-detail", args=[stock.experiment.pk]))

    assert "by 2 people" in text_of(page)
    assert reverse("run-people", args=[stock.runs[0].pk]) in page.content.decode()
