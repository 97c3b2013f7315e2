"""The lanes of judges: one for each connection; a rubric that somebody tries waits for no other."""

from evaluations import task_names
from evaluations.engine import lanes
from evaluations.experiments import answered
from evaluations.launches import asked, readers
from evaluations.models import Job
from evaluations.scoring.lanes import hold_connection

from . import allowances, asides
from .of_judgings import OfJudging

MOST_LEASED = 8  # chunks of a connection


def register() -> None:
    lanes.register(
        lanes.Kind(Job.JUDGE, task_names.GENERATE, most=MOST_LEASED, hold=hold_connection, leaves_calls=True)
    )
    lanes.register(lanes.Kind(Job.JUDGE_NOW, task_names.GENERATE, leaves_calls=True))
    asked.register(asked.Kind(Job.JUDGE, OfJudging))
    asked.register(asked.Kind(Job.JUDGE_NOW, OfJudging, is_urgent=True))
    answered.register(allowances.begin)
    readers.register(asides.Paid())
