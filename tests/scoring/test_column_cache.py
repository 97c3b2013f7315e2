"""Cached columns equal those in the database."""

import pytest

from evaluations import long_arrays
from evaluations.models import Block, Output, Scoring
from evaluations.process_cache import ProcessCache
from evaluations.results.rows import scores_at
from evaluations.scoring import column_cache, coverage, jobs, scoring
from evaluations.scoring.column_cache import Column
from evaluations.scoring.columns import Slots
from evaluations.values import Status
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(project):
    return factories.scored_run(factories.experiment(project, "exact_match", "levenshtein_distance"))


def loaded(*scorings: Scoring) -> dict[int, Slots]:
    return column_cache.load(scorings, coverage.positions(scorings[0].run))


def values(scored: Scoring) -> list[float]:
    return loaded(scored)[scored.pk].values.tolist()


def test_a_column_is_read_once(run, django_assert_num_queries):
    first, second = run.scorings.all()
    loaded(first)

    with django_assert_num_queries(0):
        assert values(first) == [1, 0, 1]
    with django_assert_num_queries(1):
        loaded(first, second)


def test_a_rescored_column_is_read_again(run):
    values(run.scorings.first())
    Output.objects.filter(run=run, position=1).update(text="Pa")

    jobs.score_again(run)
    while scoring.work(5):
        pass

    assert values(run.scorings.first()) == [0, 0, 1]


def test_a_running_scoring_is_not_cached(run, django_assert_num_queries):
    Scoring.objects.update(summary=None)
    going = run.scorings.first()
    values(going)

    with django_assert_num_queries(1):
        values(going)


def test_beyond_its_size_the_column_not_read_for_longest_leaves(run, monkeypatch, django_assert_num_queries):
    first, second = run.scorings.all()
    monkeypatch.setattr(column_cache, "process_cache", ProcessCache("scores", 1))
    loaded(first)
    loaded(second)

    with django_assert_num_queries(1):
        loaded(first)


def test_shared_columns_are_read_only(run):
    shared = loaded(run.scorings.first())

    with pytest.raises(ValueError, match="read-only"):
        next(iter(shared.values())).values[0] = 0


def test_rows_of_a_kept_column_are_not_read_from_blocks(run, django_assert_num_queries):
    scorings = list(run.scorings.select_related("evaluator_version__evaluator"))
    scores = scores_at(scorings, [3, 1])
    loaded(*scorings)

    with django_assert_num_queries(0):
        assert scores_at(scorings, [3, 1]) == scores


def test_why_a_row_has_no_score_is_read_from_its_block(run):
    scoring = run.scorings.select_related("evaluator_version__evaluator").first()
    block = Block.objects.get(scoring=scoring)
    block.notes = {"messages": {"1": "too_long: A text."}}
    block.status = bytes([0, Status.ERROR, *block.status[2:]])
    block.save()
    loaded(scoring)

    [[score]] = [row.values() for row in [scores_at([scoring], [2])[run.pk][2]]]

    assert (score.status, score.message) == ("error", "too_long: A text.")


def test_a_column_in_files_takes_nothing_of_the_memory_for_caches(run, monkeypatch):
    monkeypatch.setattr(long_arrays, "LONG", 1)
    column_cache.long_cache.clear()
    before = column_cache.long_cache.bytes
    slots = Slots.absent(50_000)
    column_cache._keep(run.scorings.first(), Column(slots, coverage.positions(run)))

    assert column_cache.long_cache.size == slots.nbytes == 500_000
    assert column_cache.long_cache.bytes - before < 2_000
    column_cache.long_cache.clear()
