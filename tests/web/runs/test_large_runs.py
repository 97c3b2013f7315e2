"""Pages of runs so large that their orders are sorted once and kept: they show what selected pages show."""

import re
import threading

import numpy as np
import pytest

from evaluations.datasets import datasets
from evaluations.experiments import experiments
from evaluations.models import Block, Evaluator, Scoring
from evaluations.results import orders
from evaluations.scoring import column_cache
from evaluations.statistics.sorted_rows import SortedRows
from tests import factories
from tests.pages import markup

pytestmark = pytest.mark.django_db
OUTPUTS = ["Paris", "Rom", "Osxo", "Genf", None, "Tallinn"] * 20
REFERENCES = ["Paris", "Rome", "Oslo", "Bern", "Riga", "Vilnius"] * 20
TOKEN = re.compile('name="csrfmiddlewaretoken" value="[^"]*"')
ADDRESSES = (
    "",
    "?order=best",
    "?order=file",
    "?evaluator={similarity}",
    "?passed[{exact}]=false",
    "?status[{similarity}]=missing_actual&evaluator={similarity}",
    "?min[{similarity}]=0.2&max[{similarity}]=0.8",
    "?metadata[topic]=law",
    "?before=:500",
    "?row=77",
    "?row=77&passed[{exact}]=false&evaluator={similarity}",
)


@pytest.fixture
def run(project):
    examples = [
        {"inputs": {"q": n}, "reference": {"a": text}, "metadata": {"topic": "law" if n % 3 else "art"}}
        for n, text in enumerate(REFERENCES)
    ]
    dataset = datasets.create(project, None, "capitals", examples)
    both = [factories.evaluator(project, kind) for kind in ("exact_match", "levenshtein_similarity")]
    experiment = experiments.create(project, None, "which is closer", dataset, both)
    return factories.scored_run(experiment, OUTPUTS)


@pytest.fixture
def addresses(run):
    exact, similarity = Evaluator.objects.order_by("pk").values_list("pk", flat=True)
    names = {"exact": exact, "similarity": similarity}
    return [f"/runs/{run.pk}/{address.format(**names)}" for address in ADDRESSES]


@pytest.fixture
def sorted_at_once(monkeypatch):
    """Every run is large, and its orders are sorted before their first page is answered."""

    def keep(key, selected):
        orders.process_cache.put(key, SortedRows.from_selected(selected))

    orders.process_cache.clear()
    orders.counts.clear()
    monkeypatch.setattr(orders, "LARGE", 1)
    monkeypatch.setattr(orders, "sort_later", keep)


def pages(client, addresses) -> list[str]:
    answers = [client.get(address) for address in addresses]
    assert {answer.status_code for answer in answers} == {200}
    return [TOKEN.sub("", markup(answer).partition("<main")[2]) for answer in answers]


@pytest.mark.long
def test_pages_of_a_sorted_order_are_those_of_a_selected_one(
    client, alice, addresses, monkeypatch, sorted_at_once
):
    client.force_login(alice)
    with monkeypatch.context() as small:
        small.setattr(orders, "LARGE", 1_000)
        selected = pages(client, addresses)
    assert not len(orders.process_cache)

    assert pages(client, addresses) == selected
    assert len(orders.process_cache)
    assert len(orders.counts)
    assert pages(client, addresses) == selected


def test_a_kept_order_needs_no_column(client, alice, addresses, sorted_at_once, monkeypatch):
    client.force_login(alice)
    first = pages(client, addresses)

    def refuse(*args):
        raise AssertionError("a column was read")

    monkeypatch.setattr(column_cache, "load", refuse)
    assert pages(client, addresses) == first


def test_scores_that_change_get_a_new_order(client, alice, run, addresses, sorted_at_once):
    client.force_login(alice)
    before = pages(client, addresses)[0]
    scoring = Scoring.objects.filter(run=run).first()
    for block in Block.objects.filter(scoring=scoring):
        turned = 1 - np.frombuffer(block.values, "<f8")
        Block.objects.filter(pk=block.pk).update(values=turned.tobytes())
    Scoring.objects.filter(pk=scoring.pk).update(revision=scoring.revision + 1)

    assert pages(client, addresses)[0] != before


def test_an_order_is_sorted_beside_the_first_page(client, alice, run, monkeypatch):
    client.force_login(alice)
    orders.process_cache.clear()
    monkeypatch.setattr(orders, "LARGE", 1)
    client.get(f"/runs/{run.pk}/")

    for thread in threading.enumerate():
        if thread.name == orders.SORTER:
            thread.join(60)
    assert len(orders.process_cache)
