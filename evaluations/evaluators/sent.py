"""Evaluators whose scores are sent: made by the first scores with their name, with a version for each kind of score."""

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from evaluations import kinds, owned
from evaluations.errors import Conflict, Invalid
from evaluations.kinds.recorded import RecordedConfig
from evaluations.kinds.sent import sent
from evaluations.models import Evaluator, EvaluatorVersion, Project
from evaluations.models.fields import name_key

from . import evaluators, named


def version(project: Project, user: User | None, name: str, settings: dict[str, Any]) -> EvaluatorVersion:
    """The version of the project's sent evaluator of this name with these settings; what is missing is created.

    Settings that are left out are those of its newest version. A direction, bounds, labels, a threshold or a digest of
    code that no version has makes the next one; two branches that send by turns stay with one version each.
    """
    name = owned.checked_name(name)
    with transaction.atomic():
        evaluator = _named(project, name) or _create(project, user, name, parsed(sent, settings))
        versions = list(evaluator.versions.all())
        if versions[0].kind != sent.key:
            raise Conflict(
                "evaluator_is_computed",
                f"“{evaluator.name}” is an evaluator that is computed here; its scores cannot be sent.",
                hint="Send the scores under another name.",
                fields={"evaluator.name": ["This name belongs to an evaluator that is computed here."]},
            )
        config = parsed(sent, versions[0].config | settings)
        same = (old for old in versions if parsed(sent, old.config).identity == config.identity)
        return next(same, None) or add(evaluator, user, sent, config)


def _named(project: Project, name: str) -> Evaluator | None:
    live = Evaluator.objects.live().filter(project=project, name_key=name_key(name))
    return live.select_for_update().first()


def _create(project: Project, user: User | None, name: str, config: RecordedConfig) -> Evaluator:
    evaluator = named.add(project, user, name)
    store(evaluator, user, sent, config)
    return evaluator


def add(
    evaluator: Evaluator, user: User | None, kind: kinds.Kind, config: RecordedConfig
) -> EvaluatorVersion:
    """The next version of an evaluator, which is locked."""
    evaluator.version += 1
    evaluator.save(update_fields=["version"])
    return store(evaluator, user, kind, config)


def store(
    evaluator: Evaluator, user: User | None, kind: kinds.Kind, config: RecordedConfig
) -> EvaluatorVersion:
    """Store the settings as the version that the evaluator counts as its newest."""
    return EvaluatorVersion.objects.create(
        evaluator=evaluator,
        number=evaluator.version,
        kind=kind.key,
        kind_version=kind.version,
        config=config.model_dump(mode="json"),
        created_by=user,
    )


def parsed(kind: kinds.Kind, settings: dict[str, Any]) -> RecordedConfig:
    """The typed settings; raises `Invalid` naming each invalid field."""
    try:
        config = kind.parse(settings)
    except kinds.ConfigError as wrong:
        raise _wrong(wrong) from wrong
    assert isinstance(config, RecordedConfig)
    return config


def _wrong(wrong: kinds.ConfigError) -> Invalid:
    refusal = evaluators.wrong_config(wrong)
    fields = {
        name.replace("config/", "evaluator.").replace("/", "."): texts
        for name, texts in refusal.fields.items()
    }
    return Invalid(refusal.code, refusal.message, fields=fields)
