"""Evaluators: named configurations with immutable versions, and scoring texts that are at hand."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F

from evaluations import kinds, owned
from evaluations.access import limits
from evaluations.errors import Invalid
from evaluations.kinds.presets import Preset
from evaluations.kinds.scores import Scores
from evaluations.mapping import Contexts, MappingError
from evaluations.models import Evaluator, EvaluatorVersion, Project, Run, Scoring
from evaluations.models.fields import name_key
from evaluations.statistics import summary
from evaluations.values import JSON, Status

from . import embeddings
from .recipe import Recipe

MOST_ITEMS, MOST_SEMANTIC = 10_000, 256
LABELS = {1: "pass", 0: "fail"}
OUTPUT_TO_REFERENCE = {"actual": {"path": "$.actual"}, "expected": {"path": "$.expected"}}


def create(
    project: Project, user: User | None, name: str, kind: str, config: dict[str, Any], mapping: dict[str, Any]
) -> Evaluator:
    """An evaluator with its first version; raises `Invalid` naming each field that does not fit."""
    recipe = check(project, kind, config, mapping)
    with transaction.atomic():
        evaluator = owned.named(Evaluator(project=project, created_by=user, name=name))
        _add_version(evaluator, user, recipe, mapping)
    return evaluator


def from_preset(project: Project, user: User | None, preset: Preset) -> Evaluator:
    """The project's evaluator with the settings of this preset, created if there is none."""
    if existing := like_preset(project, preset):
        return existing
    same_name = Evaluator.objects.live().filter(project=project, name_key=name_key(preset.title))
    name = f"{preset.title} (as in {preset.product})" if same_name.exists() else preset.title
    return create(project, user, name, preset.kind, preset.config, OUTPUT_TO_REFERENCE)


def like_preset(project: Project, preset: Preset) -> Evaluator | None:
    """The oldest evaluator of the project whose newest version is what the preset would create."""
    recipe = Recipe.compile(preset.kind, preset.config, OUTPUT_TO_REFERENCE)
    newest_versions = EvaluatorVersion.objects.filter(
        evaluator__in=Evaluator.objects.live().filter(project=project),
        number=F("evaluator__version"),
        kind=preset.kind,
    )
    for version in newest_versions.select_related("evaluator").order_by("evaluator"):
        if (version.config, version.mapping) == (recipe.config, OUTPUT_TO_REFERENCE):
            return version.evaluator
    return None


def change(
    evaluator: Evaluator,
    user: User | None,
    *,
    name: str | None = None,
    config: Any = None,
    mapping: Any = None,
) -> Evaluator:
    """Rename, or make a new version where config or mapping differ; runs keep the version they used."""
    with transaction.atomic():
        evaluator.refresh_from_db(from_queryset=Evaluator.objects.select_for_update())
        if name is not None:
            evaluator.name = name
            owned.named(evaluator)
        old = newest(evaluator)
        mapping = old.mapping if mapping is None else mapping
        recipe = check(evaluator.project, old.kind, old.config if config is None else config, mapping)
        if (recipe.config, mapping) != (old.config, old.mapping):
            evaluator.version += 1
            evaluator.save(update_fields=["version"])
            _add_version(evaluator, user, recipe, mapping)
    return evaluator


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


def run_count(evaluator: Evaluator) -> int:
    """How many runs have a scoring by any of its versions."""
    scorings = Scoring.objects.filter(evaluator_version__evaluator=evaluator, run__deleted_at=None)
    return scorings.values("run").distinct().count()


def delete(evaluator: Evaluator) -> None:
    """Hide it; the scores it computed stay. 409 while it scores a run."""
    owned.delete(evaluator, Run.objects.filter(scorings__evaluator_version__evaluator=evaluator))


# ---- checking ----------------------------------------------------------------------------------------------


def check(project: Project, kind: str, config: Any, mapping: Any) -> Recipe:
    """The compiled evaluator; raises `Invalid` with the JSON pointer of each field that does not fit."""
    for field, value in (("config", config), ("mapping", mapping)):
        if not isinstance(value, dict):
            raise Invalid(
                "object_expected", f"{field} is an object.", fields={field: ["An object is expected."]}
            )
    try:
        recipe = Recipe.compile(kind, config, mapping)
    except kinds.UnknownKind as unknown:
        raise Invalid("unknown_kind", str(unknown), fields={"kind": [str(unknown)]}) from unknown
    except kinds.ConfigError as wrong:
        raise _wrong_config(wrong) from wrong
    except MappingError as wrong:
        field = f"mapping{wrong.pointer}"
        raise Invalid(wrong.code, wrong.message, fields={field: [wrong.message]}) from wrong
    embeddings.check_connection(project, recipe)
    return recipe


def _wrong_config(error: kinds.ConfigError) -> Invalid:
    fields: dict[str, list[str]] = {}
    for pointer, message in error.problems:
        fields.setdefault(f"config{pointer}", []).append(message)
    pointer, message = error.problems[0]
    code = "invalid_regex" if pointer == "/pattern" else "invalid_config"
    return Invalid(code, f"{pointer.removeprefix('/') or 'config'}: {message}", fields=fields)


# ---- scoring what is at hand -------------------------------------------------------------------------------


def score_items(
    project: Project,
    kind: str,
    config: dict[str, Any],
    mapping: dict[str, Any],
    items: Sequence[dict[str, JSON]],
    explain: bool = False,
) -> dict[str, Any]:
    """Score rows that are sent along; nothing is stored. Items hold actual and expected, or a whole context."""
    recipe = check(project, kind, config, mapping)
    most = MOST_SEMANTIC if recipe.kind.needs_connection else MOST_ITEMS
    if len(items) > most:
        raise Invalid(
            "too_many_items", f"At most {most} items at once.", fields={"items": [f"At most {most}."]}
        )
    contexts = Contexts.of_rows(items)
    embed = embeddings.embedder(project, recipe)
    with limits.one_of(limits.SCORE_CALLS, "Too many calls compute scores at once."):
        scores = recipe.scores(contexts, embed=embed)
        results = [result(scores, row) for row in range(len(scores))]
        if explain:
            for row, given in enumerate(results):
                given["detail"] = recipe.explain(contexts, row, embed=embed)
    low, high = recipe.bounds
    figures = summary.summarise(
        scores.values, scores.passed, scores.status, low=low, high=high, truncated=scores.truncated
    )
    return {"results": results, "summary": asdict(figures)}


def result(scores: Scores, row: int) -> dict[str, Any]:
    """One row's score as the API spells it."""
    value, passed = float(scores.values[row]), int(scores.passed[row])
    return {
        "value": None if value != value else value,
        "passed": None if passed < 0 else bool(passed),
        "label": LABELS.get(passed),
        "status": Status(int(scores.status[row])).word,
        "message": scores.messages.get(row, ""),
    }
