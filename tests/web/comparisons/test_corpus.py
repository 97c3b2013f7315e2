"""Corpus scores on the page of an experiment."""

import pytest
from django.test import Client

from evaluations.comparisons import corpus_scores
from tests.api.test_corpus import runs
from tests.pages import markup

__all__ = ["runs"]  # the fixture


def page(client: Client, runs, query: str = "") -> str:
    return markup(client.get(f"/experiments/{runs[0].experiment_id}/{query}"))


def test_corpus_scores_are_a_click_away(alices, runs):
    closed, opened = page(alices, runs), page(alices, runs, "?corpus=")

    assert "?corpus=#corpus" in closed
    assert "Corpus score</th>" not in closed
    assert "Corpus score</th>" in opened
    assert "nrefs:1|" in opened


def test_a_further_reference_is_added_by_its_link(alices, runs):
    opened, added = page(alices, runs, "?corpus="), page(alices, runs, "?corpus=two")

    assert "?corpus=two#corpus" in opened
    assert "nrefs:2|" in added


def test_a_sample_is_called_one(alices, runs, monkeypatch):
    monkeypatch.setattr(corpus_scores, "MOST_OUTPUTS", 4)

    assert "a random sample of 2 of 3 examples" in " ".join(page(alices, runs, "?corpus=two").split())


@pytest.mark.parametrize("query", ["?corpus=nothing", "?corpus=two&corpus=one&corpus=two", "?corpus=%00"])
def test_any_address_of_corpus_scores_is_answered(alices, runs, query):
    assert alices.get(f"/experiments/{runs[0].experiment_id}/{query}").status_code == 200


def test_a_sample_says_how_all_outputs_are_counted(alices, runs, monkeypatch):
    monkeypatch.setattr(corpus_scores, "MOST_OUTPUTS", 4)
    evaluator = runs[0].scorings.get(evaluator_version__kind="chrf").evaluator_version.evaluator_id

    assert f"/evaluators/{evaluator}/" in page(alices, runs, "?corpus=two")
