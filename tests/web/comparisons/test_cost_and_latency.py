"""Cost and latency on the page of an experiment."""

import re

import pytest
from django.test import Client

from evaluations.models import Answer, Experiment, Output, Run
from tests.comparisons import columns
from tests.pages import markup

SIZE = 12
UNIT = 10**12


@pytest.fixture
def experiment(project) -> Experiment:
    return columns.experiment(project, SIZE, ["exact_match"])


def variant(experiment: Experiment, name: str, cost: float | None, latency: int | None = None) -> Run:
    run = columns.run(experiment, name, [[position % 2 for position in range(SIZE)]])
    for position in range(1, SIZE + 1):
        Output.objects.create(run=run, position=position, text="x", latency_ms=latency)
        paid = None if cost is None else int(cost * UNIT) + position
        Answer.objects.create(run=run, position=position, cost=paid)
    return run


def page(client: Client, experiment: Experiment, query: str = "") -> str:
    return " ".join(markup(client.get(f"/experiments/{experiment.pk}/{query}")).split())


def test_two_variants_show_the_cost_of_a_thousand_answers(alices, experiment):
    variant(experiment, "dear", 0.002)
    variant(experiment, "cheap", 0.0005)

    html = page(alices, experiment)

    assert re.findall(r'data-name="Cost" data-unit="[^"]+">([^<]+)</td>', html) == ["2.00", "0.50"]
    assert "−1.50" in html
    assert 'class="tradeoff"' in html


def test_the_address_chooses_the_picture(alices, experiment):
    variant(experiment, "dear", 0.002, latency=100)
    variant(experiment, "cheap", 0.0005, latency=300)

    assert "by cost" in page(alices, experiment)
    assert "by latency" in page(alices, experiment, "?across=latency")
    assert "by cost" in page(alices, experiment, "?across=anything")


def test_a_variant_without_a_price_says_so(alices, experiment):
    for name, cost in (("dear", 0.002), ("cheap", 0.001), ("local", None)):
        variant(experiment, name, cost)

    assert '<span class="aside">unknown</span>' in page(alices, experiment)


def test_unknown_cost_and_latency_are_not_shown(alices, experiment):
    variant(experiment, "a", None)
    variant(experiment, "b", None)

    assert 'id="taken"' not in page(alices, experiment)
