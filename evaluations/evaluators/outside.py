"""Evaluators for outside scores, which an upload brings along with its outputs."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db.models import F

from evaluations import jsonpath, owned
from evaluations.kinds.value import ONE_AND_ZERO, TRUE_AND_FALSE, ValueConfig, numbered
from evaluations.models import Evaluator, EvaluatorVersion, Project

from . import evaluators

KIND = "value"


def of_scores(
    project: Project, user: User | None, scores: Iterable[tuple[str, dict[str, Any]]]
) -> list[Evaluator]:
    """The project's evaluator for each score, by its name and settings; missing ones are created."""
    return [
        by_score(project, name, settings) or _create(project, user, name, settings)
        for name, settings in scores
    ]


def by_score(project: Project, name: str, settings: Mapping[str, Any]) -> Evaluator | None:
    """The oldest evaluator whose newest version reads the score with this name as these settings do.

    It is of no particular tool. Scores of one name may mean something else in another file: another direction, or other
    words and numbers. Settings without words take those that an evaluator knows, unless that is one of zeros and ones:
    a file of these says so.
    """
    wanted = ValueConfig.model_validate(settings)
    versions = EvaluatorVersion.objects.filter(
        evaluator__in=Evaluator.objects.live().filter(project=project),
        number=F("evaluator__version"),
        kind=KIND,
    )
    for version in versions.select_related("evaluator").order_by("evaluator"):
        known = ValueConfig.model_validate(version.config)
        is_such = not known.source and known.direction == wanted.direction and _reads_alike(known, wanted)
        if is_such and version.mapping.get("actual") == {"path": _path(name)}:
            return version.evaluator
    return None


def _reads_alike(known: ValueConfig, wanted: ValueConfig) -> bool:
    if wanted.labels is None:
        return known.labels not in (ONE_AND_ZERO, TRUE_AND_FALSE)
    return numbered(known.labels) == numbered(wanted.labels)


def _create(project: Project, user: User | None, name: str, settings: dict[str, Any]) -> Evaluator:
    mapping = {"actual": {"path": _path(name)}}
    return evaluators.create(project, user, _free(project, name), KIND, settings, mapping)


def _path(name: str) -> str:
    return jsonpath.from_names(("scores", name))


def _free(project: Project, name: str) -> str:
    """The score's name, or a longer one if another evaluator has it."""
    evaluators = Evaluator.objects.live().filter(project=project)
    return owned.free_name(evaluators, name, owned.numbered(["", " (outside score)"], " (outside score {})"))
