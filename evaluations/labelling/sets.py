"""Label sets: evaluators of the kind `people`. The versions of one are those of its question and guideline."""

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from evaluations.evaluators import named, sent
from evaluations.kinds.people import PeopleConfig, people
from evaluations.models import Evaluator, EvaluatorVersion, Project


def create(project: Project, user: User | None, name: str, settings: dict[str, Any]) -> Evaluator:
    """A label set with its first version; raises `Invalid` naming each invalid field."""
    config = sent.parsed(people, _bounded(settings))
    with transaction.atomic():
        evaluator = named.add(project, user, name)
        sent.store(evaluator, user, people, config)
    return evaluator


def change(evaluator: Evaluator, user: User | None, settings: dict[str, Any]) -> EvaluatorVersion:
    """Make a new version if question, guideline or answers differ; labels under the old one stand apart."""
    with transaction.atomic():
        evaluator.refresh_from_db(from_queryset=Evaluator.objects.select_for_update())
        newest = newest_of(evaluator)
        config = sent.parsed(people, _bounded(newest.config | settings))
        if config.model_dump(mode="json") == newest.config:
            return newest
        return sent.add(evaluator, user, people, config)


def newest_of(evaluator: Evaluator) -> EvaluatorVersion:
    return evaluator.versions.select_related("evaluator__project").get(number=evaluator.version)


def config_of(version: EvaluatorVersion) -> PeopleConfig:
    config = people.parse(version.config)
    assert isinstance(config, PeopleConfig)
    return config


def _bounded(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings with the bounds that follow from pass and fail, or from the numbers of the labels."""
    answers = settings.get("answers", "pass_fail")
    if answers in ("pass_fail", "pair"):
        return settings | {"minimum": 0.0, "maximum": 1.0, "threshold": None, "labels": None}
    return settings if answers == "scale" else settings | {"minimum": None, "maximum": None}
