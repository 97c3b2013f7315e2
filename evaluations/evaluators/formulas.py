"""Formulas: which version of which evaluator stands for each of their names.

The versions are part of the formula's own version, so that its scores never change their meaning: a formula whose
sources have newer versions keeps the old ones until it is saved again.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from evaluations import kinds
from evaluations.errors import Conflict, Invalid
from evaluations.kinds.formula import OF_ROW, FormulaConfig
from evaluations.metrics import expressions
from evaluations.models import Evaluator, EvaluatorVersion, Project

from .recipe import Recipe

Names = Mapping[str, int]


def name_of(evaluator: Evaluator) -> str:
    """The name that a formula can give an evaluator, as exact_match; empty if it has none."""
    letters = (c.lower() if c.isalnum() or c == "_" else " " for c in evaluator.name)
    name = "_".join("".join(letters).split())
    return name if expressions.is_name(name) and name not in OF_ROW else ""


def readable(project: Project) -> dict[str, Evaluator]:
    """By name, the evaluators of a project that a formula can read; not those that share a name with another."""
    live = Evaluator.objects.live().filter(project=project)
    derived = EvaluatorVersion.objects.filter(kind__in=DERIVED).values("evaluator")
    named: dict[str, list[Evaluator]] = {}
    for evaluator in live.exclude(pk__in=derived).order_by("name"):
        named.setdefault(name_of(evaluator), []).append(evaluator)
    return {name: same[0] for name, same in named.items() if name and len(same) == 1}


DERIVED = [kind.key for kind in kinds.CATALOGUE.values() if kind.is_derived]


def pinned(project: Project, kind: str, config: Any, known: Names | None = None) -> Any:
    """The settings of a formula with evaluators and versions filled in; other settings unchanged.

    `known` are names that an earlier version of the formula used. A version that the settings name stays. Raises
    `Invalid` for names that stand for no evaluator that can be read.
    """
    if kind not in DERIVED or not isinstance(config, dict):
        return config
    try:
        parsed = FormulaConfig.model_validate(config)
    except ValueError:
        return config  # `evaluators.check` says what is wrong
    ids = dict(parsed.evaluators) or _found(project, parsed, known or {})
    wanted = {name: source.version for name, source in parsed.sources.items()}
    versions = _versions(project, ids, wanted)
    sources = {name: _source(name, version) for name, version in versions.items()}
    return config | {"evaluators": ids, "sources": sources}


def _found(project: Project, config: FormulaConfig, known: Names) -> dict[str, int]:
    by_name = {name: evaluator.pk for name, evaluator in readable(project).items()} | dict(known)
    if unknown := [name for name in config.scores if name not in by_name]:
        named = ", ".join(list(by_name)[:20])
        message = f"“{unknown[0]}” stands for no evaluator of this project."
        hint = f"Known names: {named}." if named else "Create the evaluators first."
        raise Invalid("unknown_evaluator", message, hint=hint, fields={"config/expression": [message]})
    return {name: by_name[name] for name in config.scores}


def _versions(project: Project, ids: Names, wanted: Mapping[str, int]) -> dict[str, EvaluatorVersion]:
    evaluators = Evaluator.objects.live().filter(project=project).in_bulk(list(ids.values()))
    versions = {}
    for name, pk in ids.items():
        evaluator = evaluators.get(pk)
        numbers = [wanted[name]] if name in wanted else [evaluator.version] if evaluator else []
        found = EvaluatorVersion.objects.filter(evaluator=evaluator, number__in=numbers).first()
        if evaluator is None or found is None:
            raise _wrong(name, "The project has no such evaluator, or no such version of it.")
        versions[name] = found
    return versions


def _source(name: str, version: EvaluatorVersion) -> dict[str, Any]:
    if version.kind in DERIVED:
        raise _wrong(name, f"{version.evaluator.name} is a formula itself, and a formula reads no other.")
    recipe = Recipe.from_version(version)
    if recipe.headline is not None:
        message = f"{version.evaluator.name} compares runs by a statistic, which is no score of one output."
        raise _wrong(name, message)
    low, high = recipe.bounds
    return {"version": version.number, "minimum": low, "maximum": high}


def _wrong(name: str, message: str) -> Invalid:
    return Invalid("invalid_config", message, fields={f"config/evaluators/{name}": [message]})


def config_of(version: EvaluatorVersion) -> FormulaConfig:
    """The settings of a version of a formula."""
    config = Recipe.from_version(version).parsed
    assert isinstance(config, FormulaConfig)
    return config


def read_by(version: EvaluatorVersion) -> dict[str, EvaluatorVersion]:
    """By name, the versions whose scores a version of a formula reads; empty for other kinds."""
    return read(version.evaluator.project, config_of(version)) if version.kind in DERIVED else {}


def read(project: Project, config: FormulaConfig) -> dict[str, EvaluatorVersion]:
    """By name, the versions that these settings of a formula name."""
    here = EvaluatorVersion.objects.filter(evaluator__project=project)
    candidates = here.filter(evaluator__in=config.evaluators.values())
    stored = {
        (found.evaluator_id, found.number): found for found in candidates.select_related("evaluator__project")
    }
    keys = {
        name: (pk, config.sources[name].version)
        for name, pk in config.evaluators.items()
        if name in config.sources
    }
    return {name: stored[key] for name, key in keys.items() if key in stored}


def with_sources(versions: Iterable[EvaluatorVersion]) -> list[EvaluatorVersion]:
    """These versions, and those that formulas among them read if scoring by these costs nothing: each once."""
    every = {version.pk: version for version in versions}
    for version in list(every.values()):
        for source in read_by(version).values():
            recipe = Recipe.from_version(source)
            if not recipe.needs_server and not recipe.kind.is_recorded:
                every.setdefault(source.pk, source)
    return list(every.values())


def readers(evaluator: Evaluator) -> list[Evaluator]:
    """The formulas whose newest version reads an evaluator."""
    newest = EvaluatorVersion.objects.filter(
        evaluator__in=Evaluator.objects.live().filter(project=evaluator.project), kind__in=DERIVED
    )
    return [
        version.evaluator
        for version in newest.select_related("evaluator").order_by("evaluator")
        if version.number == version.evaluator.version
        and evaluator.pk in config_of(version).evaluators.values()
    ]


def require_unread(evaluator: Evaluator) -> None:
    """Raise `Conflict` for an evaluator that a formula reads."""
    if names := [formula.name for formula in readers(evaluator)]:
        raise Conflict(
            "in_use",
            f"The formula {names[0]} reads the scores of {evaluator.name}.",
            hint="Change or delete the formula first.",
        )


def outdated(version: EvaluatorVersion) -> list[str]:
    """A sentence for each source of a formula that has a newer version."""
    return [
        f"{source.evaluator.name} has version {source.evaluator.version}; this formula reads version "
        f"{source.number}. Save it again to read the newest."
        for source in read_by(version).values()
        if source.evaluator.version > source.number
    ]


def needless_mapping(kind: str, mapping: Any) -> None:
    """Raise `Invalid` for a formula that shall read texts."""
    if kind in DERIVED and mapping:
        message = "A formula reads scores and has no mapping."
        raise Invalid("invalid_mapping", message, fields={"mapping": [message]})
