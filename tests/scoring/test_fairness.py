"""The order in which jobs are served, and the limit of work per project."""

import random

import pytest

from evaluations.access import limits
from evaluations.errors import TooManyRequests
from evaluations.experiments import runs
from evaluations.models import Chunk, Job, Project, Run
from evaluations.scoring import scoring
from tests import factories

pytestmark = pytest.mark.django_db
LARGE_JOBS = 200


@pytest.fixture
def queued(project) -> Run:
    return factories.run(factories.experiment(project))


def open_jobs(run: Run, totals: list[int], chunks: int = 3) -> list[Job]:
    """A job for each total, with the given number of chunks."""
    jobs = Job.objects.bulk_create(
        Job(run=run, project_id=run.project_id, turn=turn, total=total, created_at=run.created_at)
        for turn, total in enumerate(totals)
    )
    Chunk.objects.bulk_create(
        Chunk(job=job, first=first, last=first, total=1) for job in jobs for first in range(1, chunks + 1)
    )
    return jobs


def test_a_small_run_that_starts_last_is_served_soon_beside_two_hundred_others(queued):
    Job.objects.all().delete()
    *_, small_job = open_jobs(queued, [100_000] * LARGE_JOBS + [100])

    random.seed(1)
    served = [scoring.claim().chunk.job_id for _ in range(8)]

    assert served.count(small_job.pk) == 3


def test_a_large_run_goes_on_while_small_ones_come(queued):
    Job.objects.all().delete()
    large, _ = open_jobs(queued, [100_000, 100], chunks=40)

    random.seed(1)
    served = [scoring.claim().chunk.job_id for _ in range(40)]

    assert 5 < served.count(large.pk) < 20


def test_a_project_whose_queue_is_full_gets_an_error_with_a_sentence(queued, settings):
    settings.EVALSITE_PROJECT_QUEUE = 1

    with pytest.raises(
        TooManyRequests, match=r"Default already has 1 run and 0 files in progress \(limit 1\)"
    ):
        runs.create(queued.experiment, None, "one more")
    assert Run.objects.count() == 1


@pytest.mark.parametrize("maximum", [2, 0])
def test_a_project_that_has_room_or_no_limit_goes_on(queued, settings, maximum):
    settings.EVALSITE_PROJECT_QUEUE = maximum

    limits.require_room(queued.project)


def test_other_projects_are_not_counted(queued, settings, charlie):
    settings.EVALSITE_PROJECT_QUEUE = 1

    limits.require_room(Project.objects.get(name="Elsewhere"))
