"""Evaluators: named configurations with immutable versions."""

from collections.abc import Callable, Collection, Iterable, Sequence
from types import EllipsisType
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, QuerySet

from evaluations import kinds, owned
from evaluations.errors import Invalid
from evaluations.kinds.judge import JudgingConfig
from evaluations.kinds.presets import Preset
from evaluations.mapping import MappingError
from evaluations.models import Connection, Evaluator, EvaluatorVersion, Project, Run, Scoring
from evaluations.values import LONGEST_NAME, canonical_json

from . import embeddings, formulas, named
from .recipe import Recipe

OUTPUT_TO_REFERENCE = {"actual": {"path": "$.actual"}, "expected": {"path": "$.expected"}}


def create(
    project: Project,
    user: User | None,
    name: str,
    kind: str,
    config: dict[str, Any],
    mapping: dict[str, Any],
    connection: int | None = None,
) -> Evaluator:
    """Create an evaluator with its first version; raises `Invalid` naming each invalid field.

    A judge asks the server of `connection`, by default the project's.
    """
    formulas.needless_mapping(kind, mapping)
    recipe = check(project, kind, formulas.pinned(project, kind, config), mapping)
    server = _judge_connection(project, kind, connection)
    with transaction.atomic():
        evaluator = named.add(project, user, name, connection=server)
        _add_version(evaluator, user, recipe, mapping)
    return evaluator


def _judge_connection(project: Project, kind: str, pk: int | None) -> Connection | None:
    """The connection that a judge names; `Invalid` for other kinds, whose connection is a part of the config."""
    if pk is None:
        return None
    if kind not in kinds.JUDGES:
        message = "Only a judge has a connection beside its config."
        raise Invalid("invalid", message, fields={"connection": [message]})
    return embeddings.project_connection(project, pk, "connection")


def computed(project: Project) -> QuerySet[Evaluator]:
    """The project's evaluators that can score a run: not those whose scores are sent."""
    return Evaluator.objects.live().filter(project=project).exclude(versions__kind__in=kinds.RECORDED)


def from_preset(
    project: Project, user: User | None, preset: Preset, mapping: dict[str, Any] = OUTPUT_TO_REFERENCE
) -> Evaluator:
    """The project's evaluator with the settings of this preset; created if it does not exist."""
    if existing := like_preset(project, preset, mapping):
        return existing
    others = Evaluator.objects.live().filter(project=project)
    # in brackets, because “ROUGE 2” is another measure
    name = owned.free_name(others, preset.title[:LONGEST_NAME], owned.numbered(later=" ({})"))
    return create(project, user, name, preset.kind, preset.config, mapping)


def like_preset(
    project: Project, preset: Preset, mapping: dict[str, Any] = OUTPUT_TO_REFERENCE
) -> Evaluator | None:
    """The oldest evaluator of the project whose newest version equals the preset."""
    recipe = Recipe.compile(preset.kind, preset.config, mapping)
    equal_evaluators = (
        version.evaluator
        for version in _newest_of_kind(project, preset.kind, mapping)
        if Recipe.from_version(version).config == recipe.config  # with settings that came after it was saved
    )
    return next(equal_evaluators, None)


def alike(project: Project, ids: Collection[int]) -> dict[int, str]:
    """The other formulas of the project that score as one of these evaluators does, by id, with its name."""
    live = Evaluator.objects.live().filter(project=project)
    newest_versions = EvaluatorVersion.objects.filter(evaluator__in=live, number=F("evaluator__version"))
    formulas_only = newest_versions.exclude(kind__in=[*kinds.JUDGES, *kinds.RECORDED])
    settings = {version: _settings(version) for version in formulas_only.select_related("evaluator")}
    names = {key: version.evaluator.name for version, key in settings.items() if version.evaluator_id in ids}
    return {
        version.evaluator_id: names[key]
        for version, key in settings.items()
        if version.evaluator_id not in ids and key in names
    }


def _settings(version: EvaluatorVersion) -> str:
    """Equal for versions that give equal scores."""
    recipe = Recipe.from_version(version)
    mapping = version.mapping or OUTPUT_TO_REFERENCE
    return canonical_json([version.kind, recipe.kind.version, recipe.config, mapping])


def of_preset_kind(
    project: Project, preset: Preset, is_for_other_data: Callable[[EvaluatorVersion], bool] = lambda _: False
) -> Evaluator | None:
    """The evaluator that equals the preset, else the oldest one of its kind with other settings that somebody chose."""
    of_kind = _newest_of_kind(project, preset.kind, OUTPUT_TO_REFERENCE)
    chosen = (version.evaluator for version in of_kind if not is_for_other_data(version))
    return like_preset(project, preset) or next(chosen, None)


def _newest_of_kind(project: Project, kind: str, mapping: dict[str, Any]) -> list[EvaluatorVersion]:
    """The newest versions of the project's evaluators with this kind and mapping, oldest evaluator first.

    One without a mapping, as the API saves it, compares the output with the reference too.
    """
    newest_versions = EvaluatorVersion.objects.filter(
        evaluator__in=Evaluator.objects.live().filter(project=project),
        number=F("evaluator__version"),
        kind=kind,
    )
    ordered = newest_versions.select_related("evaluator").order_by("evaluator")
    return [version for version in ordered if (version.mapping or OUTPUT_TO_REFERENCE) == mapping]


def change(
    evaluator: Evaluator,
    user: User | None,
    *,
    name: str | None = None,
    config: Any = None,
    mapping: Any = None,
    kind_version: int | None = None,
    connection: int | EllipsisType | None = ...,
    newest_was: int | None = None,
) -> Evaluator:
    """Rename an evaluator, or add a version if config, mapping or formula differ; runs keep the version they used.

    The formula stays the one that it was saved with, unless `kind_version` names another. `Conflict` if the newest
    version is no longer the one that the writer knew (`newest_was`).
    """
    with transaction.atomic():
        evaluator.refresh_from_db(from_queryset=Evaluator.objects.select_for_update())
        owned.require_newest(evaluator.name, evaluator.version, newest_was)
        if name is not None:
            evaluator.name = name
            owned.save_named(evaluator)
        old = newest(evaluator)
        if connection is not ...:
            evaluator.connection = _judge_connection(evaluator.project, old.kind, connection)
            evaluator.save(update_fields=["connection"])
        if old.kind in kinds.RECORDED and config is mapping is kind_version is None:
            return evaluator
        mapping = old.mapping if mapping is None else mapping
        formula = old.kind_version if kind_version is None else _known_version(old.kind, kind_version)
        config = old.config if config is None else _pinned(old, config)
        formulas.needless_mapping(old.kind, mapping)
        recipe = check(evaluator.project, old.kind, config, mapping, formula)
        old_config = Recipe.from_version(old).config  # with settings that came after it was saved
        if (recipe.config, mapping, recipe.kind.version) != (old_config, old.mapping, old.kind_version):
            evaluator.version += 1
            evaluator.save(update_fields=["version"])
            _add_version(evaluator, user, recipe, mapping)
    return evaluator


def _pinned(old: EvaluatorVersion, config: Any) -> Any:
    return formulas.pinned(old.evaluator.project, old.kind, config, old.config.get("evaluators"))


def _known_version(kind: str, version: int) -> int:
    if kinds.get(kind, version).version == version:
        return version
    message = f"{kinds.get(kind).title} has no version {version}; the newest is {kinds.get(kind).version}."
    raise Invalid("unknown_version", message, fields={"kind_version": [message]})


def _add_version(evaluator: Evaluator, user: User | None, recipe: Recipe, mapping: dict[str, Any]) -> None:
    EvaluatorVersion.objects.create(
        evaluator=evaluator,
        number=evaluator.version,
        kind=recipe.kind.key,
        kind_version=recipe.kind.version,
        config=recipe.config,
        mapping=mapping,
        created_by=user,
    )


def newest(evaluator: Evaluator) -> EvaluatorVersion:
    return evaluator.versions.get(number=evaluator.version)


def warnings(version: EvaluatorVersion) -> list[str]:
    """Warnings: valid but probably unintended settings, and a formula that changed after the version was saved."""
    kind = kinds.get(version.kind, version.kind_version)
    unintended = [*kind.warnings(kind.parse(version.config)), *formulas.outdated(version)]
    newest_kind = kinds.get(version.kind)
    if newest_kind.version == version.kind_version:
        return unintended
    outdated = (
        f"{kind.title} has a newer formula, version {newest_kind.version}. This evaluator keeps version "
        f"{kind.version} until somebody chooses the newer one."
    )
    return [*unintended, outdated]


def by_id_or_name(evaluators: Iterable[Evaluator], id_or_name: str) -> Evaluator | None:
    """The evaluator with this id, else with this name. Ids come first: pages write ids, and a name may be “3”."""
    listed = list(evaluators)
    by_name = {evaluator.name: evaluator for evaluator in listed}
    return {str(evaluator.pk): evaluator for evaluator in listed}.get(id_or_name) or by_name.get(id_or_name)


def run_count(evaluator: Evaluator) -> int:
    """The number of runs with scores by any of its versions."""
    scorings = Scoring.objects.filter(evaluator_version__evaluator=evaluator, run__deleted_at=None)
    return scorings.values("run").distinct().count()


def delete(evaluator: Evaluator) -> None:
    """Delete an evaluator; its scores stay. `Conflict` while it scores a run, or a formula reads it."""
    formulas.require_unread(evaluator)
    owned.delete(evaluator, Run.objects.filter(scorings__evaluator_version__evaluator=evaluator))


# ---- validation --------------------------------------------------------------------------------------------


def check(project: Project, kind: str, config: Any, mapping: Any, version: int | None = None) -> Recipe:
    """The compiled evaluator, by default with the newest formula; raises `Invalid` naming each invalid field."""
    for field, value in (("config", config), ("mapping", mapping)):
        if not isinstance(value, dict):
            raise Invalid(
                "object_expected", f"{field} is an object.", fields={field: ["An object is expected."]}
            )
    try:
        if kind in kinds.RECORDED:
            raise kinds.UnknownKind(f"Evaluators of the kind {kind} are made by sending scores to a run.")
        config = embeddings.with_default_model(project, kind, config)
        recipe = Recipe.compile(kind, config, mapping, version)
    except kinds.UnknownKind as unknown:
        raise Invalid("unknown_kind", str(unknown), fields={"kind": [str(unknown)]}) from unknown
    except kinds.ConfigError as wrong:
        raise wrong_config(wrong) from wrong
    except MappingError as wrong:
        field = f"mapping{wrong.pointer}"
        raise Invalid(wrong.code, wrong.message, fields={field: [wrong.message]}) from wrong
    embeddings.check_connection(project, recipe)
    if isinstance(recipe.parsed, JudgingConfig) and recipe.parsed.hidden:
        raise not_shown(recipe.parsed.hidden)
    return recipe


def not_shown(names: Sequence[str]) -> Invalid:
    """The refusal of a rubric that does not show the answer that it is about."""
    message = f"The rubric does not show the answer: write {{{{ {names[0]} }}}} where it belongs."
    return Invalid("missing_variable", message, fields={"config/messages": [message]})


def wrong_config(error: kinds.ConfigError) -> Invalid:
    """The refusal of settings, with a sentence for each field."""
    fields: dict[str, list[str]] = {}
    for pointer, message in error.problems:
        fields.setdefault(f"config{pointer}", []).append(message)
    pointer, message = error.problems[0]
    code = "invalid_regex" if pointer == "/pattern" else "invalid_config"
    return Invalid(code, f"{pointer.removeprefix('/') or 'config'}: {message}", fields=fields)
