"""An advised evaluator as the value of a form's choice, and its name: "Label (no, yes), read after the reasoning"."""

import json
from typing import Any, NamedTuple

import orjson

from evaluations.evaluators.recipe import Recipe
from evaluations.kinds import ConfigError, UnknownKind
from evaluations.kinds import get as kind_of
from evaluations.kinds.advised import (
    ALLOWED,
    ANY_ORDER,
    AS_FRACTIONS,
    LIST_F1,
    SAME_LABELS,
    WHOLE_LIST_F1,
    WHOLE_WORDS,
    WITH_SIZES,
)
from evaluations.kinds.advised_answers import ANNOUNCED, BEHIND
from evaluations.kinds.advised_bars import BETWEEN_BARS
from evaluations.kinds.advised_code import QUERY
from evaluations.kinds.advised_phones import NUMBER as PHONE
from evaluations.kinds.advised_quantities import PLACES
from evaluations.kinds.advised_rules import are_shares
from evaluations.kinds.presets import Preset
from evaluations.mapping import MappingError
from evaluations.short_texts import shortened
from evaluations.values import JSON, canonical_json

from .advised_reading import BACKTICKS, LABELS, LIST_IN_OBJECT, REFERENCE
from .labels_said import without_separators
from .numbers_said import NUMBERS

ADVISED = "advised:"
OF_SHARES = "Labels right at 0.5"
NAMED = 4  # labels in a name; of more, the first two are named and the others counted
LONGEST_NAMED = 24  # characters of a label in a name
FENCED = "out of fences"
WORDS = {
    "reasoning": "after the reasoning",
    "json": FENCED,
    "code": FENCED,
    "pattern": FENCED,
    "calls": "as calls",
    "date": "as dates",
    "time": "as times",
    "quantity": "in any unit",
    "math": "as formulas",
    "value": "as dates, times or amounts",
    "record": "as one record",
    "refusal": "as refusals or answers",
    "abstention": "no answer as “unanswerable”",
    "normalize": "in any letter case",
}
TITLES = {
    "List F1": LIST_F1,
    "List F1, whole members": WHOLE_LIST_F1,
    "Same labels": SAME_LABELS,
    "Tool calls, allowed arguments": ALLOWED,
    "JSON fields, lists in any order": ANY_ORDER,
    "Numeric match with sizes": WITH_SIZES,
    "Numeric match, 45 % as 0.45": AS_FRACTIONS,
    "Contains, whole words": WHOLE_WORDS,
}


class AdvisedChoice(NamedTuple):
    """A kind with its settings, and how it reads the rows at hand, as the value of a form's choice."""

    kind: str
    config: dict[str, JSON]
    mapping: dict[str, Any]

    @classmethod
    def of_value(cls, value: str) -> "AdvisedChoice | None":
        """The choice of a value; None if it is no such choice, or none that can be compiled."""
        if not value.startswith(ADVISED):
            return None
        try:
            kind, config, mapping = orjson.loads(value.removeprefix(ADVISED))
            Recipe.compile(kind, config, mapping)
        except (ValueError, TypeError, UnknownKind, ConfigError, MappingError):
            return None
        return cls(kind, config, mapping)

    @property
    def value(self) -> str:
        return ADVISED + canonical_json([*self])

    @property
    def label(self) -> str:
        return title_of(self.kind, self.config) + in_words(self.mapping)

    @property
    def preset(self) -> Preset:
        return Preset(self.kind, self.label, self.kind, "Evalsite", (), (), self.config)


def is_named_by_advice(name: str, kind: str) -> bool:
    """Whether a name is that of advised settings, which fit other data: "List F1", "JSON fields, total as a number".

    >>> names = ("List F1 2", "JSON fields, total as a date", "JSON fields")
    >>> [is_named_by_advice(name, "json_fields") for name in names]
    [True, True, False]
    """
    has_rules = name.startswith(f"{kind_of(kind).title}, ") and " as a " in name
    return has_rules or name.startswith((*TITLES, OF_SHARES))


def title_of(kind: str, config: dict[str, JSON]) -> str:
    """The name of a kind with advised settings, and the fields with a rule: "JSON fields, total as a number"."""
    rules = config.get("rules")
    named = {name: setting for name, setting in config.items() if name != "rules"}
    title = next((title for title, settings in TITLES.items() if settings == named), kind_of(kind).title)
    if named.keys() == {"tolerance"}:
        title += f" within {named['tolerance']}"
    if not isinstance(rules, dict):
        return title
    if are_shares(rules):
        return OF_SHARES
    fields = [f"{path.removeprefix('$.')[:40]} as a {rule['rule']}" for path, rule in rules.items()]
    more = f" and {len(fields) - NAMED} more" if len(fields) > NAMED else ""
    return f"{title}, {', '.join(fields[:NAMED])}{more}"


def _some(labels: list[str]) -> str:
    said = [shortened(label, LONGEST_NAMED) for label in labels]
    more = f" and {len(said) - NAMED // 2} more" if len(said) > NAMED else ""
    return ", ".join(said[: NAMED // 2] if more else said) + more


def in_words(mapping: dict[str, Any]) -> str:
    """How both sides are read, such as " (no, yes)" or ", read out of fences"; "" if as they are.

    >>> in_words({"actual": {"read": ["code"]}, "expected": {"path": "$.reference", "many": "any"}})
    ', read out of fences, any right answer'
    >>> in_words({"actual": {"read": [{"step": "between", "labels": [*"abcde"]}]}})
    ' (a, b and 3 more)'
    """
    steps = mapping.get("actual", {}).get("read") or []
    labels = [label for step in steps if isinstance(step, dict) for label in step.get("labels", ())]
    listed = f" ({_some(labels)})" if labels else ""
    others = [
        (word, label)
        for step in steps
        if isinstance(step, dict)
        for word, label in step.get("also", {}).items()
        if without_separators(word) != without_separators(label) and not word.endswith(f": {label}")
    ]
    told = [f"{word} as {label}" for word, label in others[: NAMED // 2]]
    told += [f"{len(others) - len(told)} more"] if len(others) > NAMED // 2 else []
    listed += f", {' and '.join(told)}" if told else ""
    names = dict.fromkeys(
        WORDS[step]
        if isinstance(step, str)
        else (
            NUMBERS
            | PLACES
            | LABELS
            | BACKTICKS
            | {
                BEHIND: "behind “answer”",
                ANNOUNCED["pattern"]: "behind “answer”",
                PHONE: "as telephone numbers",
                BETWEEN_BARS["pattern"]: "between bars",
                QUERY["pattern"]: "out of sentences",
            }
        ).get(step.get("pattern"), _in_words(step))
        for step in steps
        if (step if isinstance(step, str) else step["step"]) in WORDS
    )
    listed += " or the text of an option" if mapping.get("actual", {}).get("options") else ""
    return listed + (f", read {' and '.join(names)}" if names else "") + _columns_in_words(mapping)


def _columns_in_words(mapping: dict[str, Any]) -> str:
    """Which of several references count; "" where there is one."""
    expected = mapping.get("expected", {})
    path = expected.get("path", "")
    if not path.startswith(f"{REFERENCE}["):
        return ", any right answer" if expected.get("many") == "any" else ""
    names, _ = json.JSONDecoder().raw_decode(path.removeprefix(REFERENCE))
    return f", against {names[0]}" if len(names) == 1 else f", against any of {len(names)} references"


def _in_words(step: dict[str, Any]) -> str:
    if step == LIST_IN_OBJECT:
        return "out of fences and of objects around a list"
    if "articles" in step:
        return "without articles"
    if step["step"] == "pattern" and "match" in step:
        return "as codes" if step["match"] == "all" else "as an order"
    if step["step"] != "normalize":
        return WORDS[step["step"]]
    if step.get("punctuation") == "remove":
        return "in any case and punctuation" if "case" in step else "without punctuation"
    return WORDS["normalize"] if "case" in step else "with any blanks"
