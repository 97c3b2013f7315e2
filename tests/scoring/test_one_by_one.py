"""Rows that take too long, or end their worker: they get an error, and everybody else's work goes on."""

import time
from contextlib import suppress
from datetime import timedelta

import pytest
from django.db.models import F

from evaluations.access import projects
from evaluations.engine import queue
from evaluations.evaluators import recipe
from evaluations.experiments import runs
from evaluations.models import Chunk, Run
from evaluations.results.rows import rows_at
from evaluations.scoring import lanes, one_by_one, scoring, time_limits
from tests import factories

# The limit interrupts a formula by a signal; in the midst of coverage's own lock it would leave the lock taken.
pytestmark = [pytest.mark.django_db, pytest.mark.no_cover]
SLOW = 2  # the position of the row at fault


@pytest.fixture
def queued(project) -> Run:
    return factories.run(factories.experiment(project, "exact_match", "levenshtein_distance"))


@pytest.fixture(autouse=True)
def _no_history_first(monkeypatch):
    monkeypatch.setattr(queue, "HISTORY_FIRST", 0)


def expire(chunk: Chunk) -> None:
    Chunk.objects.filter(pk=chunk.pk).update(lease_until=F("lease_until") - timedelta(hours=1))


@pytest.fixture
def slow_row(monkeypatch, queued):
    """One row keeps the edit distance busy for ever; the limits are short."""
    score = recipe.Recipe.scores
    text = queued.outputs.get(position=SLOW).text

    def scores(self, contexts, **more):
        while self.kind.key == "levenshtein_distance" and text in contexts.values(("output",)):
            pass
        return score(self, contexts, **more)

    monkeypatch.setattr(recipe.Recipe, "scores", scores)
    monkeypatch.setattr(scoring, "FIRST", 0.2)
    monkeypatch.setattr(one_by_one, "SECONDS", 0.2)


def test_a_row_that_takes_too_long_gets_an_error_of_that_evaluator_alone(queued, slow_row):
    scoring.work(seconds=1)

    queued.refresh_from_db()
    rows = rows_at(queued, [1, 2, 3])
    assert queued.status == Run.Status.COMPLETED
    assert [row.scores["levenshtein distance"].status for row in rows] == ["scored", "error", "scored"]
    assert [row.scores["exact match"].status for row in rows] == ["scored"] * 3
    assert rows[1].scores["levenshtein distance"].message.startswith("too_slow: ")


def test_after_its_turn_the_rest_of_a_slow_chunk_waits_behind_other_work(queued, slow_row, settings, bob):
    settings.EVALSITE_LEASE = 0.1
    claimed = scoring.claim()
    scoring.close(claimed, scoring.score(claimed))

    rest = Chunk.objects.get(state=Chunk.State.READY)
    assert rest.first in (2, 3)
    assert rest.attempt == 1
    assert runs.progress(Run.objects.get(pk=queued.pk)).again == rest.total
    other = factories.run(factories.experiment(projects.create("Other", bob), "exact_match"))
    assert scoring.claim().task.run == other
    assert scoring.claim().chunk == rest


def test_the_row_at_which_a_worker_ended_becomes_a_chunk_of_its_own(queued, monkeypatch):
    expire(scoring.claim().chunk)
    scoring.sweep()

    class Killed(BaseException):
        pass

    def die(recipe, row, position):
        if position == SLOW:
            raise Killed()
        return alone(recipe, row, position)

    alone = one_by_one._alone
    monkeypatch.setattr(one_by_one, "_alone", die)
    claimed = scoring.claim()
    with pytest.raises(Killed):
        scoring.score(claimed)
    expire(claimed.chunk)
    scoring.sweep()

    chunks = Chunk.objects.order_by("first").values_list("first", "last", "total", "attempt", "state")
    assert [*chunks] == [(1, 1, 1, 1, "ready"), (2, 2, 1, 2, "ready"), (3, 4000, 1, 1, "ready")]


def test_work_without_a_history_is_claimed_first_and_always_finds_a_child(project, bob, monkeypatch):
    monkeypatch.setattr(lanes.os, "cpu_count", lambda: 2)
    experiment = factories.experiment(project)
    for variant in "abc":
        factories.run(experiment, variant=variant)
    Chunk.objects.update(attempt=1)

    held = [scoring.claim() for _ in range(2)]
    other = factories.run(factories.experiment(projects.create("Other", bob), "exact_match"))

    assert [claimed is not None for claimed in held] == [True, False]
    assert scoring.claim().task.run == other
    assert scoring.claim() is None


def test_chunks_with_a_history_wait_for_ever_for_nobody(project, monkeypatch):
    """Some claims look at them first."""
    monkeypatch.setattr(queue, "HISTORY_FIRST", 1)
    experiment = factories.experiment(project)
    old, _ = (factories.run(experiment, variant=variant) for variant in "ab")
    Chunk.objects.filter(job__run=old).update(attempt=1)

    assert scoring.claim().task.run == old


def loop(swallowed: int = 0) -> None:
    """Work for ever, within a tenth of a second; the first interrupts are swallowed."""
    with time_limits.at_most(0.1):
        for _ in range(swallowed):
            with suppress(time_limits.TooSlow):
                while True:
                    pass
        while True:
            pass


def test_processor_time_counts_not_the_time_of_the_clock():
    with time_limits.at_most(0.3):
        time.sleep(0.5)
    with pytest.raises(time_limits.TooSlow):
        loop()


def test_code_that_swallows_the_interrupt_is_interrupted_again(monkeypatch):
    monkeypatch.setattr(time_limits, "AGAIN", 0.1)

    with pytest.raises(time_limits.TooSlow):
        loop(swallowed=1)
