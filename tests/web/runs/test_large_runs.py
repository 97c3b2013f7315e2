"""Pages of long runs, whose columns are in files and looked at part by part, show what pages of short runs show."""

import re

import numpy as np
import pytest

from evaluations import long_arrays
from evaluations.datasets import datasets
from evaluations.experiments import experiments
from evaluations.models import Block, Evaluator, Scoring
from evaluations.scoring import column_cache
from evaluations.web.runs import page
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


def pages(client, addresses) -> list[str]:
    answers = [client.get(address) for address in addresses]
    assert {answer.status_code for answer in answers} == {200}
    return [TOKEN.sub("", markup(answer).partition("<main")[2]) for answer in answers]


@pytest.mark.long
def test_pages_looked_at_a_few_rows_at_a_time_are_the_same(client, alice, addresses, monkeypatch):
    client.force_login(alice)
    page.counts_of_long_runs.clear()
    together = pages(client, addresses)
    assert not len(page.counts_of_long_runs)

    monkeypatch.setattr(page, "LONG", 1)
    monkeypatch.setattr(long_arrays, "AT_ONCE", 7)
    monkeypatch.setattr(long_arrays, "LONG", 1)
    column_cache.process_cache.clear()
    assert pages(client, addresses) == together
    assert len(column_cache.long_cache)
    assert len(page.counts_of_long_runs)
    assert pages(client, addresses) == together


@pytest.mark.long
def test_scores_that_change_are_sorted_and_counted_again(client, alice, run, addresses, monkeypatch):
    client.force_login(alice)
    monkeypatch.setattr(page, "LONG", 1)
    before = pages(client, addresses)
    scoring = Scoring.objects.filter(run=run).first()
    for block in Block.objects.filter(scoring=scoring):
        turned = 1 - np.frombuffer(block.values, "<f8")
        passed = 1 - np.frombuffer(block.passed, "i1")
        Block.objects.filter(pk=block.pk).update(values=turned.tobytes(), passed=passed.tobytes())
    Scoring.objects.filter(pk=scoring.pk).update(revision=scoring.revision + 1)

    after = pages(client, addresses)
    assert after[0] != before[0]
    assert after[7] != before[7]
