"""Chunks of long texts are cut, so that each piece is scored well within a lease."""

from datetime import timedelta

import pytest

from evaluations import leases
from evaluations.experiments import runs
from evaluations.models import Block, Chunk, Scoring
from evaluations.scoring import pieces, scoring
from tests import factories

pytestmark = pytest.mark.django_db
TEXTS = ("a" * 900, "b" * 900, "c" * 900)


@pytest.fixture
def short_turns(monkeypatch):
    """A piece has room for two of the pairs, as their work is counted from the start of each."""
    monkeypatch.setattr(pieces, "MOST_WORK", 2_000)


@pytest.fixture
def run(project, short_turns):
    return factories.run(factories.experiment(project, references=TEXTS), TEXTS)


def spans() -> list[tuple[int, int, int]]:
    return list(Chunk.objects.order_by("first").values_list("first", "last", "total"))


def test_a_chunk_of_long_texts_is_cut(run):
    scoring.score(scoring.claim())

    assert spans() == [(1, 2, 2), (3, 4_000, 1)]


def test_the_rest_of_a_cut_chunk_can_be_taken_at_once(run):
    scoring.score(scoring.claim())

    assert scoring.claim().chunk.first == 3


def test_a_cut_chunk_is_scored_completely(run):
    while scoring.work(seconds=5):
        pass

    assert Scoring.objects.get().summary["counts"]["scored"] == 3
    assert list(Block.objects.order_by("first").values_list("first", flat=True)) == [1, 3]


def test_a_cut_changes_no_progress(run):
    claimed = scoring.claim()
    scoring.close(claimed, scoring.score(claimed))

    progress = runs.progress(run)
    assert (progress.done, progress.total) == (2, 3)


def test_only_asked_examples_are_measured(project):
    experiment = factories.experiment(project, references=TEXTS)
    split = factories.split(experiment.dataset, ("k1", "k3"))
    run = factories.run(experiment, (TEXTS[0], None, TEXTS[2]), split=split)

    assert pieces.Rows.sizes(run, 1, 3, {"output"}) == {1: 900, 3: 900}


def test_a_cancelled_chunk_is_not_cut(run):
    claimed = scoring.claim()
    runs.cancel(run)

    scoring.score(claimed)

    assert spans() == []


def test_the_lease_is_extended_between_evaluators(project, monkeypatch):
    factories.run(factories.experiment(project, "exact_match", "levenshtein_distance"))
    monkeypatch.setattr(scoring, "TURN", 0)
    claimed = scoring.claim()
    Chunk.objects.update(lease_until=leases.now() + timedelta(seconds=1))

    scoring.score(claimed)

    assert Chunk.objects.get().lease_until > leases.now() + timedelta(seconds=30)


def test_an_extended_lease_is_no_progress(project, monkeypatch):
    """A chunk that kills its workers in the second evaluator must still be halved at last."""
    factories.run(factories.experiment(project, "exact_match", "levenshtein_distance"))
    monkeypatch.setattr(scoring, "TURN", 0)

    scoring.score(scoring.claim())

    assert Chunk.objects.get().attempt == 1
