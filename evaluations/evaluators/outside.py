"""Evaluators for outside scores, which an upload brings along with its outputs."""

from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import User
from django.db.models import F

from evaluations import jsonpath, owned
from evaluations.models import Evaluator, EvaluatorVersion, Project

from . import evaluators

KIND = "value"


def of_scores(
    project: Project, user: User | None, scores: Iterable[tuple[str, dict[str, Any]]]
) -> list[Evaluator]:
    """The project's evaluator for each score, by the score's name; missing ones are created with these settings."""
    return [by_score(project, name) or _create(project, user, name, settings) for name, settings in scores]


def by_score(project: Project, name: str) -> Evaluator | None:
    """The oldest evaluator whose newest version reads the score with this name, of no particular tool."""
    versions = EvaluatorVersion.objects.filter(
        evaluator__in=Evaluator.objects.live().filter(project=project),
        number=F("evaluator__version"),
        kind=KIND,
    )
    for version in versions.select_related("evaluator").order_by("evaluator"):
        is_of_tool = bool(version.config.get("source"))
        if version.mapping.get("actual") == {"path": _path(name)} and not is_of_tool:
            return version.evaluator
    return None


def _create(project: Project, user: User | None, name: str, settings: dict[str, Any]) -> Evaluator:
    mapping = {"actual": {"path": _path(name)}}
    return evaluators.create(project, user, _free(project, name), KIND, settings, mapping)


def _path(name: str) -> str:
    return jsonpath.from_names(("scores", name))


def _free(project: Project, name: str) -> str:
    """The score's name, or a longer one if another evaluator has it."""
    evaluators = Evaluator.objects.live().filter(project=project)
    return owned.free_name(evaluators, name, owned.numbered(["", " (outside score)"], " (outside score {})"))
