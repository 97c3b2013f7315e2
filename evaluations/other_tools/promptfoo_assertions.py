"""promptfoo's assertions: the evaluator that computes the same, and the value they compare with."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluations.kinds.checks import NOT, TYPES
from evaluations.values import JSON

from . import templates
from .evaluation import Formula, number

_EQUAL: dict[str, tuple[str, dict[str, JSON]]] = {
    "equals": ("exact_match", {"strip": "none"}),
    "contains": ("contains", {}),
    "icontains": ("contains", {"case_sensitive": False}),
    "contains-all": ("contains", {"separator": "\n", "mode": "all"}),
    "contains-any": ("contains", {"separator": "\n", "mode": "any"}),
    "icontains-all": ("contains", {"separator": "\n", "mode": "all", "case_sensitive": False}),
    "icontains-any": ("contains", {"separator": "\n", "mode": "any", "case_sensitive": False}),
}
LISTS = ("contains-all", "contains-any", "icontains-all", "icontains-any")
LEVENSHTEIN = 5  # edits, if an assertion names no threshold
BLEU = 0.5


@dataclass(frozen=True)
class Assertion:
    """An assertion. `slot` distinguishes several of one type in a test; `name` is the metric, or the type."""

    type: str
    name: str
    threshold: float | None
    value: Any
    is_transformed: bool
    slot: int = 1

    @classmethod
    def read(cls, source: Mapping[str, Any], slot: int = 1) -> "Assertion":
        kind = str(source.get("type") or "unknown")
        return cls(
            kind,
            str(source.get("metric") or kind),
            number(source.get("threshold")),
            source.get("value"),
            any(source.get(name) for name in ("transform", "normalizeUnicode", "config")),
            slot,
        )

    @property
    def identity(self) -> tuple[str, str, float | None, int]:
        return self.type, self.name, self.threshold, self.slot

    def formula(self, column: str) -> Formula | None:
        """The evaluator that should compute the same; this is verified on every answer of the file."""
        if self.is_transformed:
            return None
        if self.type == "levenshtein":
            edits = int(self.threshold or LEVENSHTEIN)
            return Formula("levenshtein_distance", {"threshold": edits}, column, judges_only=True)
        if self.type == "bleu":
            least = BLEU if self.threshold is None else self.threshold
            return Formula("sentence_bleu", {"threshold": least}, column, judges_only=True)
        if self.is_check:
            return Formula("checks", {}, column)
        if self.type not in _EQUAL:
            return None
        kind, config = _EQUAL[self.type]
        return Formula(kind, config, column)

    @property
    def is_check(self) -> bool:
        """Whether it comes in as a check that its example brings along."""
        is_known = self.type in _EQUAL or self.type == "levenshtein"
        return self.type.removeprefix(NOT) in TYPES and not is_known

    @property
    def has_own_column(self) -> bool:
        """Whether its value is no variable as it stands."""
        return self.is_check or self.type in LISTS

    def why(self) -> str:
        if self.is_transformed:
            return "it changes the output first"
        return f"no evaluator is known to equal {self.type}"

    def expected(self, variables: Mapping[str, Any]) -> JSON:
        """The compared value as one text, or the list of one check; None if its template is more."""
        value = self.value
        if self.is_check:
            return self._check(variables)
        if self.type in LISTS:
            parts = value if isinstance(value, list) else str(value).split(",")
            texts = [_text(part, variables) for part in parts]
            return (
                None
                if None in texts or any("\n" in text for text in texts if text)
                else "\n".join(map(str, texts))
            )
        return _text(value, variables)

    def _check(self, variables: Mapping[str, Any]) -> JSON:
        check: dict[str, JSON] = {"type": self.type}
        if self.value is not None:
            value = _rendered(self.value, variables)
            if value is None:
                return None
            check["value"] = value
        return [check | ({} if self.threshold is None else {"threshold": self.threshold})]


def _rendered(value: Any, variables: Mapping[str, Any]) -> JSON:
    """The value of a check with its variables inserted; None if its template does more than that."""
    if isinstance(value, str):
        return templates.rendered(value, variables)
    if isinstance(value, list):
        parts = [_rendered(part, variables) for part in value]
        return None if None in parts else parts
    rendered: JSON = value
    return rendered


def _text(value: Any, variables: Mapping[str, Any]) -> str | None:
    if isinstance(value, str):
        return templates.rendered(value, variables)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None
