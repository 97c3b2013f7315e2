"""Claims of chunks: their cost, and the shares of projects."""

import sqlite3
from collections import Counter

import pytest
from django.db import connection

from evaluations.access import projects
from evaluations.engine import queue, turns
from evaluations.models import Chunk, Job, Run
from evaluations.models.run import Share
from evaluations.scoring import scoring
from tests import factories

pytestmark = pytest.mark.django_db


def open_jobs(run: Run, count: int, chunks: int = 1) -> None:
    """So many more open jobs of a run, as if they had been added one after the other."""
    first = turns.after(Job.TEXT, run.project_id)
    jobs = Job.objects.bulk_create(
        Job(run=run, project_id=run.project_id, turn=first + number, total=10 + number)
        for number in range(count)
    )
    Chunk.objects.bulk_create(
        Chunk(job=job, first=first, last=first, total=1) for job in jobs for first in range(1, chunks + 1)
    )
    turns.join(queue.claimable_jobs(Job.TEXT), Job.TEXT, run.project_id)


@pytest.fixture
def queued(project) -> Run:
    run = factories.run(factories.experiment(project))
    Job.objects.all().delete()
    return run


def steps_of_a_claim() -> int:
    """The instructions that SQLite runs for one claim; it reads every row by some of them."""
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    database: sqlite3.Connection = connection.connection
    database.set_progress_handler(count, 1)
    try:
        assert scoring.claim() is not None
    finally:
        database.set_progress_handler(None, 0)
    return steps


@pytest.mark.skipif(connection.vendor != "sqlite", reason="counts the instructions of SQLite")
@pytest.mark.parametrize("chance", [0.0, 0.9], ids=["in turn", "the smallest"])
def test_a_claim_reads_as_much_with_one_open_job_as_with_a_thousand(queued, monkeypatch, chance):
    """Both read ten candidates, which one job does not have."""
    monkeypatch.setattr(turns.random, "random", lambda: chance)
    open_jobs(queued, queue.CANDIDATES, chunks=2)
    scoring.claim()
    few = steps_of_a_claim()
    open_jobs(queued, 1_000, chunks=2)

    assert steps_of_a_claim() < 1.3 * few


def test_a_project_whose_share_was_lost_is_served_after_the_next_sweep(queued):
    open_jobs(queued, 1, chunks=3)
    Share.objects.all().delete()

    assert scoring.claim() is not None  # at once, if no other project has work
    scoring.sweep()

    assert Share.objects.get().project_id == queued.project_id


def test_the_share_of_a_project_without_jobs_is_deleted(queued):
    open_jobs(queued, 1)
    Job.objects.all().delete()

    scoring.sweep()

    assert not Share.objects.exists()


@pytest.mark.long
def test_projects_get_equal_shares_whatever_the_number_of_their_jobs(queued, alice):
    few = factories.run(factories.experiment(projects.create("Few jobs", alice)))
    Job.objects.all().delete()
    open_jobs(queued, 100, chunks=3)
    open_jobs(few, 1, chunks=40)

    served = Counter(scoring.claim().chunk.job.project_id for _ in range(40))

    assert served[few.project_id] == pytest.approx(20, abs=1)


@pytest.mark.long
def test_a_project_that_comes_later_gets_an_equal_share_from_then_on(queued, alice):
    open_jobs(queued, 10, chunks=20)
    for _ in range(100):
        scoring.claim()
    late = factories.run(factories.experiment(projects.create("Late", alice)))
    open_jobs(late, 5, chunks=20)

    served = Counter(scoring.claim().chunk.job.project_id for _ in range(20))

    assert served[late.project_id] == pytest.approx(10, abs=3)


def test_a_job_that_rests_is_not_claimed_before_its_time(queued):
    open_jobs(queued, 1)

    queue.rest(Job.objects.all(), 60, queued.pk)
    assert scoring.claim() is None

    queue.rest(Job.objects.all(), -1, queued.pk)
    assert scoring.claim() is not None
