"""Chores run one after the other; one that fails stops no other."""

import logging

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.db import connection
from django.test.utils import CaptureQueriesContext

from evaluations.engine import chores
from evaluations.judges import judgings
from evaluations.launches import ending
from evaluations.models import Chunk, Job
from evaluations.scoring import scoring
from tests import factories


def broken() -> None:
    raise RuntimeError("no room")


def test_a_chore_that_fails_does_not_stop_the_next(db):
    ran = []

    chores.run_each([broken, lambda: ran.append("next")])

    assert ran == ["next"]


def test_a_chore_that_fails_is_logged_by_name_with_its_error(db, caplog):
    with caplog.at_level(logging.ERROR):
        chores.run_each([broken])

    [record] = caplog.records
    assert "broken" in record.getMessage()
    assert "no room" in str(record.exc_info)


def test_a_worker_that_shuts_down_begins_no_other_chore(db):
    ran = []

    def interrupted() -> None:
        raise SoftTimeLimitExceeded

    with pytest.raises(SoftTimeLimitExceeded):
        chores.run_each([interrupted, lambda: ran.append("next")])

    assert ran == []


@pytest.mark.django_db
@pytest.mark.parametrize("sweep", [scoring.sweep, ending.sweep, judgings.sweep])
def test_a_sweep_asks_as_much_with_thirty_open_jobs_as_with_three(project, sweep):
    """Thousands of jobs may wait, and a sweep comes every 15 seconds."""
    run = factories.run(factories.experiment(project))
    Job.objects.all().delete()

    def queries_with(more: int) -> int:
        kinds = (Job.TEXT, Job.GENERATE, Job.JUDGE)
        jobs = Job.objects.bulk_create(
            Job(run=run, project_id=run.project_id, kind=kind, lane=kind, total=1)
            for kind in kinds
            for _ in range(more)
        )
        Chunk.objects.bulk_create(Chunk(job=job, first=1, last=1, total=1) for job in jobs)
        sweep()  # makes the shares
        with CaptureQueriesContext(connection) as queries:
            sweep()
        return len(queries)

    assert queries_with(27) == queries_with(3)
