"""What two versions of one evaluator differ in, in the words of its settings."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from evaluations import kinds
from evaluations.models import EvaluatorVersion
from evaluations.values import JSON, canonical_json

# Settings that are known by another name than their title in the editor.
NAMES = {"model": "embedding model"}


class Difference(NamedTuple):
    """One setting, and how it is written in both versions."""

    name: str
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.name} {self.old} → {self.new}"


def differences(old: EvaluatorVersion, new: EvaluatorVersion) -> list[Difference]:
    """Settings first, then where the parameters are taken from, then the version of the formula."""
    found = [
        Difference(_setting(old.kind, name), _shown(a), _shown(b))
        for name, a, b in _pairs(old.config, new.config)
    ]
    found += [
        Difference(f"mapping of {name}", _source(a), _source(b))
        for name, a, b in _pairs(old.mapping, new.mapping)
    ]
    if old.kind_version != new.kind_version:
        found.append(Difference("formula", f"v{old.kind_version}", f"v{new.kind_version}"))
    return found


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


def _source(source: dict[str, JSON] | None) -> str:
    if source is None:
        return "as usual"
    return str(source["path"]) if "path" in source else f"the literal {_shown(source.get('literal'))}"
