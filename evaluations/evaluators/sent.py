"""Evaluators whose scores are sent: made by the first scores with their name, with a version for each kind of score."""

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from evaluations import kinds, owned
from evaluations.errors import Conflict, Invalid
from evaluations.kinds.sent import SentConfig, sent
from evaluations.models import Evaluator, EvaluatorVersion, Project
from evaluations.models.fields import name_key

from . import evaluators


def version(project: Project, user: User | None, name: str, settings: dict[str, Any]) -> EvaluatorVersion:
    """The version of the project's sent evaluator of this name with these settings; what is missing is created.

    Settings that are left out are those of its newest version. A direction, bounds, labels, a threshold or a digest of
    code that no version has makes the next one; two branches that send by turns stay with one version each.
    """
    name = owned.checked_name(name)
    with transaction.atomic():
        evaluator = _named(project, name) or _create(project, user, name, _parsed(settings))
        versions = list(evaluator.versions.all())
        if versions[0].kind != sent.key:
            raise Conflict(
                "evaluator_is_computed",
                f"“{evaluator.name}” is an evaluator that is computed here; its scores cannot be sent.",
                hint="Send the scores under another name.",
                fields={"evaluator.name": ["This name belongs to an evaluator that is computed here."]},
            )
        config = _parsed(versions[0].config | settings)
        same = (old for old in versions if _parsed(old.config).identity == config.identity)
        return next(same, None) or _add(evaluator, user, config)


def _named(project: Project, name: str) -> Evaluator | None:
    live = Evaluator.objects.live().filter(project=project, name_key=name_key(name))
    return live.select_for_update().first()


def _create(project: Project, user: User | None, name: str, config: SentConfig) -> Evaluator:
    evaluator = owned.save_named(Evaluator(project=project, created_by=user, name=name))
    _store(evaluator, user, config)
    return evaluator


def _add(evaluator: Evaluator, user: User | None, config: SentConfig) -> EvaluatorVersion:
    evaluator.version += 1
    evaluator.save(update_fields=["version"])
    return _store(evaluator, user, config)


def _store(evaluator: Evaluator, user: User | None, config: SentConfig) -> EvaluatorVersion:
    return EvaluatorVersion.objects.create(
        evaluator=evaluator,
        number=evaluator.version,
        kind=sent.key,
        kind_version=sent.version,
        config=config.model_dump(mode="json"),
        created_by=user,
    )


def _parsed(settings: dict[str, Any]) -> SentConfig:
    try:
        config = sent.parse(settings)
    except kinds.ConfigError as wrong:
        raise _wrong(wrong) from wrong
    assert isinstance(config, SentConfig)
    return config


def _wrong(wrong: kinds.ConfigError) -> Invalid:
    refusal = evaluators.wrong_config(wrong)
    fields = {
        name.replace("config/", "evaluator.").replace("/", "."): texts
        for name, texts in refusal.fields.items()
    }
    return Invalid(refusal.code, refusal.message, fields=fields)
