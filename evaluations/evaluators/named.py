"""A new evaluator of any kind, before its first version."""

from typing import Any

from django.contrib.auth.models import User

from evaluations import owned
from evaluations.errors import Conflict
from evaluations.models import Evaluator, Project
from evaluations.numerals import grouped

MOST = 1_000  # of a project: launches and experiments offer all of them on one page


def add(project: Project, user: User | None, name: str, **fields: Any) -> Evaluator:
    """Raises `Conflict` if the name is taken, or the project has `MOST` evaluators."""
    if Evaluator.objects.live().filter(project=project).count() >= MOST:
        message = f"A project can have at most {grouped(MOST)} evaluators."
        raise Conflict("too_many_evaluators", message, fields={"name": [message]})
    return owned.save_named(Evaluator(project=project, created_by=user, name=name, **fields))
