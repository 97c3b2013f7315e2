"""The lanes of trials: one for each connection, asked before those of launches."""

from evaluations import task_names
from evaluations.engine import lanes
from evaluations.launches import asked
from evaluations.models import Job

from .of_trials import OfTrial


def register() -> None:
    lanes.register(lanes.Kind(Job.TRIAL, task_names.GENERATE, leaves_calls=True))
    asked.register(asked.Kind(Job.TRIAL, OfTrial, is_urgent=True))
