"""The figures of a scoring as JSON."""

from dataclasses import fields

import pytest

from evaluations.models import Scoring
from evaluations.scoring import summaries
from evaluations.scoring.summaries import Figures
from evaluations.statistics.summary import SoFar, Summary
from tests import factories


def names(cls: type) -> set[str]:
    return {field.name for field in fields(cls)}


def test_the_fields_of_figures_are_those_of_a_summary():
    assert Figures.__annotations__.keys() == names(Summary) | {"headline", "labels"}
    assert names(SoFar) == Figures.__required_keys__


@pytest.mark.django_db
def test_sums_that_take_long_are_not_made_for_every_reader(project, monkeypatch, django_assert_num_queries):
    run = factories.scored_run(factories.experiment(project, "exact_match", "levenshtein_distance"))
    Scoring.objects.update(summary=None)
    scorings = list(run.scorings.all())
    with django_assert_num_queries(1):
        first = summaries.load_many(scorings)
    assert [figures["n"] for figures in first.values()] == [3, 3]

    monkeypatch.setattr(summaries, "SLOW", -1)
    monkeypatch.setattr(summaries, "PAUSE", 1e9)
    with django_assert_num_queries(1):
        assert summaries.load_many(scorings) == summaries.load_many(scorings) == first

    Scoring.objects.update(revision=1)
    changed = list(run.scorings.all())
    with django_assert_num_queries(1):
        assert summaries.load_many(changed) == first
