"""The versions of an evaluator: history, and differences between two of them."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import F

from evaluations import kinds
from evaluations.models import Evaluator, EvaluatorVersion, Run
from evaluations.values import JSON, canonical_json

# Titles for settings whose title in the editor needs the page around it.
NAMES = {"model": "embedding model"}


class Difference(NamedTuple):
    """One setting with its different texts in both versions."""

    name: str
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.name} {self.old} → {self.new}"


@dataclass(frozen=True)
class Entry:
    """A version, its changes, and the runs that it scored, newest first."""

    version: EvaluatorVersion
    changes: list[Difference]
    runs: list[Run]


def history(evaluator: Evaluator) -> list[Entry]:
    """Every version of an evaluator, newest first."""
    versions = list(evaluator.versions.select_related("created_by").order_by("-number"))
    runs = _runs_by_version(evaluator)
    older: list[EvaluatorVersion | None] = [*versions[1:], None]
    return [
        Entry(new, differences(old, new) if old else [], runs[new.pk])
        for new, old in zip(versions, older, strict=True)
    ]


def _runs_by_version(evaluator: Evaluator) -> dict[int, list[Run]]:
    runs = Run.objects.filter(deleted_at=None, experiment__deleted_at=None).select_related("experiment")
    used = runs.filter(scorings__evaluator_version__evaluator=evaluator)
    by_version: dict[int, list[Run]] = defaultdict(list)
    for run in used.annotate(version=F("scorings__evaluator_version")).order_by("-pk"):
        by_version[run.version].append(run)
    return by_version


def differences(old: EvaluatorVersion, new: EvaluatorVersion) -> list[Difference]:
    """The differences: settings first, then sources of parameters, then the version of the formula."""
    changes = [
        Difference(_setting(old.kind, name), _shown(a), _shown(b))
        for name, a, b in _pairs(old.config, new.config)
    ]
    changes += [
        Difference(f"mapping of {name}", _source(a), _source(b))
        for name, a, b in _pairs(old.mapping, new.mapping)
    ]
    if old.kind_version != new.kind_version:
        changes.append(Difference("formula", f"v{old.kind_version}", f"v{new.kind_version}"))
    return changes


def _pairs(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    names = dict.fromkeys([*old, *new])
    return [(name, old.get(name), new.get(name)) for name in names if old.get(name) != new.get(name)]


def _setting(kind: str, name: str) -> str:
    field = kinds.get(kind).Config.model_fields.get(name)
    return NAMES.get(name) or ((field and field.title) or name).lower()


def _shown(value: JSON) -> str:
    words = {None: "none", True: "on", False: "off"}
    if value is None or isinstance(value, bool):
        return words[value]
    return f"“{value}”" if isinstance(value, str) else canonical_json(value)


def _source(source: Any) -> str:
    if source is None:
        return "default"
    if not isinstance(source, dict):
        return str(source)  # `many` of the whole mapping
    if "literal" in source:
        return f"the literal {_shown(source['literal'])}"
    steps = [step if isinstance(step, str) else canonical_json(step) for step in source.get("read") or ()]
    several = [f"many {source['many']}"] if "many" in source else []
    told = source.get("options") or ""
    paths = told if isinstance(told, str) else ", ".join(f"{name} {path}" for name, path in told.items())
    options = [f"the text of an option: {paths}"] if paths else []
    empty = [f"“{source['empty']}” for an empty one"] if source.get("empty") else []
    return ", then ".join([str(source.get("path", "the default path")), *several, *empty, *steps, *options])
