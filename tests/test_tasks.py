"""Time limits of Celery tasks."""

import pytest

from evaluations import tasks

HOUR = 3_600


@pytest.mark.parametrize("task", [tasks.import_file, tasks.generate])
def test_long_tasks_are_not_interrupted(task):
    assert task.soft_time_limit > HOUR
    assert task.time_limit > HOUR


def test_short_tasks_are_interrupted_when_they_hang():
    assert tasks.work.soft_time_limit < tasks.work.time_limit < HOUR
