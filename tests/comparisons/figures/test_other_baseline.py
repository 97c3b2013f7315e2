"""What another view of the same runs need not compute again."""

import pytest
from django.core.cache import cache

from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.figures import families
from evaluations.comparisons.grouping.example_filter import ExampleFilter
from evaluations.process_cache import budget
from evaluations.scoring import causes
from tests.comparisons import columns

pytestmark = pytest.mark.django_db


@pytest.fixture
def runs(project) -> list:
    """Four runs of 30 examples, of which some miss an output."""
    halves = [{"half": "first" if n < 15 else "second"} for n in range(30)]
    experiment = columns.experiment(project, 30, ["levenshtein_similarity"], halves)
    scores = [[((n * 7 + variant * 3) % 10 + variant) / 14 for n in range(30)] for variant in range(4)]
    scores[2][4] = scores[3][9] = None
    return [columns.run(experiment, f"v{number}", [column]) for number, column in enumerate(scores)]


def figures_of(runs, baseline):
    return Comparison(runs, baseline).figures


@pytest.mark.parametrize("name", ["primary_family", "ranks"])
def test_another_baseline_finds_all_pairs_in_the_cache(runs, monkeypatch, name):
    getattr(figures_of(runs, runs[0]), name)
    with monkeypatch.context() as patch:
        patch.setattr(families, "counted_pairs", None)
        found = getattr(figures_of(runs, runs[2]), name)

    budget.clear()
    cache.clear()
    assert found
    assert found == getattr(figures_of(runs, runs[2]), name)


@pytest.mark.parametrize("missing", ["worst", "exclude"])
def test_ranks_without_intervals_are_those_of_the_ranking(runs, missing):
    figures = Comparison(runs, runs[1], missing=missing).figures

    assert figures.ranks == {ranked.side.run.pk: ranked.rank for ranked in figures.ranking}


def test_why_scores_are_missing_is_read_once_for_all_filters(runs, monkeypatch):
    figures_of(runs, runs[0]).primary_family
    monkeypatch.setattr(causes, "classify", None)

    first_half = ExampleFilter((("half", "first"),), None)

    assert Comparison(runs, runs[0], example_filter=first_half).figures.primary_family.n == 15
