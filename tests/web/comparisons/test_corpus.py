"""Corpus scores on the page of an experiment."""

import pytest
from django.test import Client

from evaluations.scoring import run_counts
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


def test_a_sentence_says_why_there_are_none(alices, runs, monkeypatch):
    monkeypatch.setattr(run_counts, "MOST_READ", 2)

    assert "score the run again" in page(alices, runs, "?corpus=")


@pytest.mark.parametrize("query", ["?corpus=nothing", "?corpus=two&corpus=one", "?corpus=%00"])
def test_any_address_of_corpus_scores_is_answered(alices, runs, query):
    assert alices.get(f"/experiments/{runs[0].experiment_id}/{query}").status_code == 200


def test_intervals_are_drawn_along_one_axis(alices, runs):
    [table, *_] = alices.get(f"/experiments/{runs[0].experiment_id}/?corpus=").context["corpus"].tables

    assert [bool(row.plot) for _, row in table.rows] == [row.interval is not None for _, row in table.rows]
    assert table.axis
