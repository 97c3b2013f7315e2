"""Comparisons of nasty scores, read through pages and API: no error, and interval, p and verdict agree.

A few hundred families always; ten thousand with `pytest -m slow`.
"""

import json
import os

import numpy as np
import pytest

from evaluations.access import api_keys
from evaluations.models import Evaluator, Experiment, Scope
from evaluations.statistics.law import draws
from tests.comparisons import columns

ALWAYS = 28  # experiments, each read in four ways with three families each
SLOW = int(os.environ.get("NASTY_FAMILIES", "2500"))  # experiments
FIRST = int(os.environ.get("NASTY_SEED", "1000"))
QUERIES = ("&metadata[topic]=1", "&cluster=talk", "&missing=exclude", "&metadata[topic]=0")
KINDS = ("levenshtein_distance", "rouge_l", "exact_match")


@pytest.fixture(autouse=True)
def fewer_draws(monkeypatch):
    monkeypatch.setattr(draws, "DRAWS", 499)
    monkeypatch.setattr(draws, "TILTED", 499)


def nasty(chance, n):
    """Differences that have broken comparisons before, or are of their kind."""
    makers = (
        lambda: np.r_[chance.lognormal(0, 2, n - 1), -(10.0 ** chance.uniform(-13, -1))],  # one trifling loss
        lambda: np.full(n, 10.0 ** chance.uniform(-320, 9)),  # one size, from underflow to large
        lambda: chance.normal(0, 1, n) * 10.0 ** chance.integers(-14, 12),
        lambda: np.where(chance.random(n) < 0.1, 0.9, -0.1),
        lambda: chance.integers(-2, 3, n).astype(float),
        lambda: np.where(chance.random(n) < 0.9, 0.0, chance.standard_cauchy(n)),
        lambda: np.zeros(n),
        lambda: chance.exponential(1, n) * 1e-14,
        lambda: np.where(np.arange(n) == 0, 1e11, 0.0),
    )
    return makers[chance.integers(len(makers))]()


def scores_of(chance, kind, n):
    if kind == "exact_match":
        return (chance.random(n) < chance.choice([0.05, 0.5, 0.99])).astype(float)
    values = np.abs(nasty(chance, n))
    values = np.minimum(values, 1.0) if kind == "rouge_l" else values
    values[chance.random(n) < chance.choice([0, 0, 0.1, 0.8])] = np.nan
    return values


def nasty_experiment(project, seed):
    chance = np.random.default_rng(seed)
    n = int(chance.choice([1, 2, 5, 8, 14, 30, 60]))
    kinds = chance.permutation(KINDS)[:2].tolist()
    metadata = [{"topic": str(chance.integers(2)), "talk": f"t{chance.integers(4)}"} for _ in range(n)]
    experiment = columns.experiment(project, n, kinds, metadata)
    for number in range(int(chance.integers(2, 5))):
        columns.run(experiment, f"v{number}", [scores_of(chance, kind, n) for kind in kinds])
    return experiment


def agrees(entry):
    decided = entry["verdict"] in ("better", "worse")
    if entry["interval"]:
        low, high = entry["interval"]
        assert low <= high
        assert decided == (low > 0 or high < 0)
    assert decided == (
        entry["p_corrected"] is not None and entry["p_corrected"] <= 0.05 and entry["difference"] != 0
    )
    assert entry["overturned_by"] is None or (decided and entry["overturned_by"] >= 1)


def check(client, key, experiment):
    runs = ",".join(str(pk) for pk in experiment.runs.order_by("pk").values_list("pk", flat=True))
    headers = {"Authorization": f"Bearer {key}"}
    for query in ("", *QUERIES[experiment.pk % 3 :][:2]):
        answer = client.get(f"/api/v1/comparisons/?runs={runs}{query}", headers=headers)
        assert answer.status_code in (200, 400), (experiment.pk, query, answer.content[:300])
        if answer.status_code == 200:
            for entry in json.loads(answer.content)["entries"]:
                agrees(entry)


def check_pages(client, experiment):
    for address in (f"/experiments/{experiment.pk}/", f"/datasets/{experiment.dataset_id}/trends/"):
        response = client.get(address)
        assert response.status_code == 200, (experiment.pk, address)
        assert b"annot be computed" not in response.content, (experiment.pk, address)


@pytest.mark.long
@pytest.mark.parametrize("part", range(4))
def test_nasty_families_have_a_page_and_one_answer(alices, client, project, part):
    key = api_keys.create_key(project, None, "reader", Scope.READ)[1]
    for seed in range(part * ALWAYS // 4, (part + 1) * ALWAYS // 4):
        experiment = nasty_experiment(project, seed)
        check(client, key, experiment)
        check_pages(alices, experiment)
    for address in ("/", "/p/default/experiments/"):
        home = alices.get(address)
        assert home.status_code == 200
        assert b"annot be computed" not in home.content


@pytest.mark.slow
def test_ten_thousand_nasty_families_have_a_page_and_one_answer(alices, client, project):
    key = api_keys.create_key(project, None, "reader", Scope.READ)[1]
    for seed in range(FIRST, FIRST + SLOW):
        experiment = nasty_experiment(project, seed)
        check(client, key, experiment)
        check_pages(alices, experiment)
        Experiment.objects.filter(pk=experiment.pk).delete()
        Evaluator.objects.filter(project=project).delete()  # a project can have a thousand of them
