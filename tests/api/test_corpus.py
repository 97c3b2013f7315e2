"""Corpus scores by the API."""

from urllib.parse import urlencode

import numpy as np
import pytest
from sacrebleu.metrics import CHRF

from evaluations.datasets import datasets
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments
from evaluations.models import Output
from tests.comparisons import columns

FIRST = ["the cat sat on the mat", "a dog ran home", "they saw a house"]
SECOND = ["a cat was on the mat", "the dog ran home", "there was a house"]
VARIANTS = [
    ["the cat sat on a mat", "a dog ran", "a house"],
    ["cat on the mat", "the dog ran home", "the house"],
]


@pytest.fixture
def runs(project):
    rows = [
        {"inputs": {"n": n}, "reference": {"one": first, "two": two}, "metadata": {}}
        for n, (first, two) in enumerate(zip(FIRST, SECOND, strict=True))
    ]
    dataset = datasets.create(project, None, "translations", rows)
    mapping = {"actual": {"path": "$.output"}, "expected": {"path": "$.reference.one"}}
    used = [evaluators.create(project, None, kind, kind, {}, mapping) for kind in ("chrf", "rouge_l")]
    experiment = experiments.create(project, None, "systems", dataset, used)
    return [_run(experiment, name, texts) for name, texts in zip("ab", VARIANTS, strict=True)]


def _run(experiment, name, texts):
    run = columns.run(experiment, name, [[0.5, 0.25, 0.75]] * 2)
    Output.objects.bulk_create(
        Output(run=run, position=n, text=text, is_json=False) for n, text in enumerate(texts, 1)
    )
    return run


def corpus(client, runs, **query):
    parameters = {"runs": ",".join(str(run.pk) for run in runs)} | query
    return client.get(f"comparisons/corpus/?{urlencode(parameters)}")


def test_corpus_scores_and_their_signature_are_sacrebleus(reader, runs):
    [table] = corpus(reader, runs).json()["evaluators"]

    metric = CHRF()
    expected = [metric.corpus_score(texts, [FIRST]).score for texts in VARIANTS]
    assert [system["score"] for system in table["runs"]] == pytest.approx(expected, abs=1e-9)
    assert table["signature"] == metric.get_signature().format()


def test_corpus_scores_count_their_examples(reader, runs):
    [table] = corpus(reader, runs).json()["evaluators"]

    assert (table["examples"], table["total"], table["missing"]) == (3, 3, None)


def test_corpus_scores_stand_beside_the_mean_of_the_examples(reader, runs):
    [table] = corpus(reader, runs).json()["evaluators"]

    assert table["runs"][0]["mean"] == 0.5


def test_only_the_baseline_has_no_p(reader, runs):
    [table] = corpus(reader, runs).json()["evaluators"]

    assert table["runs"][0]["p"] is None
    assert 0 < table["runs"][1]["p"] <= 1


@pytest.mark.parametrize(
    ("query", "code", "field"),
    [
        ({"evaluator": "rouge_l"}, "invalid", "evaluator"),
        ({"evaluator": "nobody"}, "unknown_evaluator", "evaluator"),
    ],
)
def test_requests_without_a_corpus_score_are_refused(reader, runs, query, code, field):
    answer = corpus(reader, runs, **query)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
    assert field in answer.json()["error"]["fields"]


def test_runs_without_outputs_have_no_corpus_score(reader, runs):
    unanswered = [columns.run(runs[0].experiment, name, [[np.nan] * 3] * 2) for name in "cd"]

    [table] = corpus(reader, unanswered, missing="exclude").json()["evaluators"]

    assert (table["examples"], table["runs"], table["signature"]) == (0, [], "")
