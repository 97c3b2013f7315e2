"""Subsets by the API: where runs are better or worse than overall."""

from urllib.parse import urlencode

import numpy as np
import pytest

from tests.comparisons import columns


@pytest.fixture
def runs(project):
    """Runs: the variant is better on 60 examples, and worse on the 30 about law."""
    topics = [{"topic": "law" if n < 30 else "travel"} for n in range(90)]
    experiment = columns.experiment(project, 90, ["rouge_l", "chrf"], topics)
    chance = np.random.default_rng(21)
    base = chance.uniform(0.4, 0.6, 90)
    variant = base + np.where(np.arange(90) < 30, -0.2, 0.3) + chance.normal(0, 0.05, 90)
    return [
        columns.run(experiment, "a", [base, base]),
        columns.run(experiment, "b", [variant, base + chance.normal(0, 0.01, 90)]),
    ]


def slices(client, runs, **query):
    parameters = {"runs": ",".join(str(run.pk) for run in runs)} | query
    return client.get(f"comparisons/slices/?{urlencode(parameters)}")


def test_slices_name_the_reversal_first(reader, runs):
    answer = slices(reader, runs).json()

    first = answer["slices"][0]
    assert (first["run"], first["column"], first["value"], first["n"]) == (runs[1].pk, "topic", "law", 30)
    assert (first["reported"], first["reversal"]) == (True, True)
    assert first["difference"] == pytest.approx(-0.2, abs=0.03)
    assert first["rest"] == pytest.approx(0.3, abs=0.03)
    assert first["interaction_p"] < 1e-6
    assert (answer["searched"], answer["columns"]) == (2, ["topic"])
    assert answer["heterogeneity_p"] < 1e-6


def test_a_slice_has_the_verdict_and_interval_of_the_comparison_filtered_by_it(reader, runs):
    first = slices(reader, runs).json()["slices"][0]

    parameters = {"runs": f"{runs[0].pk},{runs[1].pk}", "metadata[topic]": "law"}
    [entry] = [
        entry
        for entry in reader.get(f"comparisons/?{urlencode(parameters)}").json()["entries"]
        if entry["role"] == "primary"
    ]
    assert entry["verdict"] == "worse"
    assert [first[key] for key in ("verdict", "interval", "difference", "n")] == [
        entry[key] for key in ("verdict", "interval", "difference", "n")
    ]


def test_a_slice_that_is_not_reported_has_no_verdict(reader, runs):
    name = runs[0].scorings.get(evaluator_version__kind="chrf").evaluator_version.evaluator.name

    answer = slices(reader, runs, evaluator=name).json()

    assert {subset["verdict"] for subset in answer["slices"]} == {None}


def test_the_first_run_is_the_baseline(reader, runs):
    answer = slices(reader, runs[::-1]).json()

    assert answer["baseline"] == runs[1].pk
    assert answer["slices"][0]["difference"] == pytest.approx(0.2, abs=0.03)


def test_slices_of_another_evaluator(reader, runs):
    name = runs[0].scorings.get(evaluator_version__kind="chrf").evaluator_version.evaluator.name

    answer = slices(reader, runs, evaluator=name).json()

    assert answer["evaluator"]["name"] == name
    assert not any(subset["reported"] for subset in answer["slices"])


def test_an_evaluator_that_scored_nothing_is_refused(reader, runs):
    answer = slices(reader, runs, evaluator="nobody")

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "unknown_evaluator")


def test_one_run_has_no_slices(reader, runs):
    answer = slices(reader, runs[:1]).json()

    assert (answer["searched"], answer["slices"], answer["heterogeneity_p"]) == (0, [], None)


def test_a_comparison_of_the_examples_of_a_slice(reader, runs):
    ids = ",".join(str(run.pk) for run in runs)
    everything = reader.get(f"comparisons/?runs={ids}").json()
    law = reader.get(f"comparisons/?runs={ids}&metadata[topic]=law").json()

    assert (everything["filtered"], everything["entries"][0]["verdict"]) == (None, "better")
    assert (law["entries"][0]["n"], law["entries"][0]["verdict"]) == (30, "worse")
    assert law["filtered"] == {
        "metadata": [{"column": "topic", "value": "law"}], "split": None, "examples": 30, "of": 90
    }  # fmt: skip
    assert law["answers"][0]["of"] == 30


def test_of_a_repeated_column_one_value_must_hold(reader, runs):
    ids = ",".join(str(run.pk) for run in runs)

    both = reader.get(f"comparisons/?runs={ids}&metadata[topic]=law&metadata[topic]=travel").json()

    assert both["filtered"]["examples"] == 90


def test_a_filter_that_nothing_meets_has_no_verdict(reader, runs):
    answer = slices(reader, runs, **{"metadata[topic]": "nothing"})
    ids = ",".join(str(run.pk) for run in runs)
    compared = reader.get(f"comparisons/?runs={ids}&metadata[topic]=nothing")

    assert (answer.status_code, answer.json()["searched"]) == (200, 0)
    assert (compared.status_code, compared.json()["entries"][0]["verdict"]) == (200, None)


@pytest.mark.parametrize("query", ["metadata[nothing]=1", "min[1]=2"])
def test_other_filters_are_refused(reader, runs, query):
    ids = ",".join(str(run.pk) for run in runs)

    assert reader.get(f"comparisons/?runs={ids}&{query}").status_code == 400


# ---- agreement of evaluators ----


def agreement(client, runs, **query):
    parameters = {"runs": ",".join(str(run.pk) for run in runs)} | query
    return client.get(f"comparisons/agreement/?{urlencode(parameters)}")


def test_every_two_evaluators_are_correlated(reader, runs):
    answer = agreement(reader, runs).json()

    assert [pair["n"] for pair in answer["pairs"]] == [180]
    assert -1 <= answer["pairs"][0]["kendall"] <= 1
    assert (answer["examples"], answer["total"], answer["pair"]) == (90, 90, None)


@pytest.mark.long
def test_two_evaluators_are_looked_at_closely(reader, runs):
    second = agreement(reader, runs).json()["evaluators"][1]

    pair = agreement(reader, runs, other=second["name"]).json()["pair"]

    assert pair["evaluators"][1] == second["id"]
    assert pair["scores"]["n"] == 180
    assert pair["differences"]["n"] == 90
    low, high = pair["scores"]["spearman"]["interval"]
    assert low <= pair["scores"]["spearman"]["value"] <= high
    gaps = [abs(disagreement["gap"]) for disagreement in pair["disagreements"]]
    assert gaps == sorted(gaps, reverse=True)
    assert "tell you" in pair["words"]


@pytest.mark.long
def test_differences_between_runs_have_words_of_their_own(reader, runs):
    second = agreement(reader, runs).json()["evaluators"][1]

    pair = agreement(reader, runs, other=second["name"]).json()["pair"]

    for words, part in (("words", "scores"), ("words_on_differences", "differences")):
        assert f"{abs(pair[part]['pearson']['value']):.3f} (" in pair[words]
    assert pair["words"] != pair["words_on_differences"]


def test_one_run_has_no_words_on_differences(reader, runs):
    second = agreement(reader, runs).json()["evaluators"][1]

    pair = agreement(reader, runs[:1], other=second["name"]).json()["pair"]

    assert (pair["differences"], pair["words_on_differences"]) == (None, None)


def test_agreement_with_an_unknown_evaluator_is_refused(reader, runs):
    answer = agreement(reader, runs, other="nobody")

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "unknown_evaluator")
