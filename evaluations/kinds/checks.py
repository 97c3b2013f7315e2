"""The kind `checks`: a list of checks that each example brings along, in promptfoo's names for its assertions."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Annotated, Any

import numpy as np
from pydantic import Field
from rapidfuzz.distance import Levenshtein

from evaluations.kinds import explain
from evaluations.kinds.config import Config
from evaluations.kinds.kind import Family, Kind
from evaluations.kinds.pairs import LONGEST, TOO_LONG, Pairs
from evaluations.kinds.scores import Scores
from evaluations.linear import without_surrogates
from evaluations.metrics import fragments, json_diff, json_schema, patterns
from evaluations.process_cache import remembered
from evaluations.values import JSON, Status, canonical_json, text_of

MOST_CHECKS = 100
NOT = "not-"
EDITS = 5  # allowed if a check of edits names no threshold


class ChecksConfig(Config):
    threshold: Annotated[
        Annotated[float, Field(ge=0, le=1)] | None,
        Field(
            title="Pass threshold",
            description="Smallest share of the checks' weight that passes; empty: every check must pass.",
        ),
    ] = None

    @property
    def pass_mark(self) -> float:
        return 1.0 if self.threshold is None else self.threshold


class RowError(Exception):
    """The checks of an example cannot be used; the message is a stable code, a colon and a sentence."""


@dataclass(frozen=True)
class Check:
    """One check: its `type` without "not-", what it compares with, and its part of the score."""

    type: str
    value: JSON
    weight: float
    threshold: float | None
    is_negated: bool

    @property
    def name(self) -> str:
        return f"{NOT if self.is_negated else ''}{self.type}"

    def passes(self, output: str) -> bool:
        """Raises `RowError` for a value that this type cannot use."""
        try:
            return TYPES[self.type](self, output) != self.is_negated
        except (patterns.PatternError, json_schema.UnusableSchema) as error:
            raise RowError(f"invalid_check: {self.name}: {error}") from error

    def text(self) -> str:
        """The value as a text; an empty one, a list or an object is refused."""
        if isinstance(self.value, bool | dict | list) or self.value in (None, ""):
            raise RowError(f"invalid_check: {self.name} needs a text or a number as value.")
        return _written(self.value)

    def texts(self) -> list[str]:
        """The value as texts: a list, or a text that commas separate."""
        if isinstance(self.value, str) and self.value:
            return [part.strip() for part in self.value.split(",")]
        if not isinstance(self.value, list) or not self.value:
            raise RowError(f"invalid_check: {self.name} needs a list of texts as value.")
        return [_written(part) for part in self.value]

    def limits(self) -> tuple[float, float]:
        """The least and the greatest count: of a number it is both, of an object "min" and "max"."""
        given = self.value
        if isinstance(given, str):
            given = float(given) if given.strip().isdecimal() else None
        if isinstance(given, int | float) and not isinstance(given, bool):
            return float(given), float(given)
        ends = {name: given.get(name) for name in ("min", "max")} if isinstance(given, dict) else {}
        numbers = {name: end for name, end in ends.items() if isinstance(end, int | float)}
        if not numbers:
            raise RowError(f"invalid_check: {self.name} needs a number, or an object with min or max.")
        return float(numbers.get("min", 0)), float(numbers.get("max", inf))


def _written(value: JSON) -> str:
    """A value as promptfoo writes it: 1.0 is 1."""
    is_whole = isinstance(value, float) and value.is_integer()
    return text_of(int(value) if is_whole else value) or ""  # type: ignore[arg-type]


# ---- the types -----------------------------------------------------------------------------------------------


def _equals(check: Check, output: str) -> bool:
    if isinstance(check.value, dict | list):
        value = _json(output)
        return value is not NOTHING and json_diff.same(value, check.value, ignore_order=False)
    return output == _written(check.value)


def _is_json(check: Check, output: str) -> bool:
    value = _json(output)
    if value is NOTHING:
        return False
    if check.value in (None, ""):
        return True
    return bool(_validator(canonical_json(_schema(check))).is_valid(value))


def _contains_json(check: Check, output: str) -> bool:
    has_schema = check.value not in (None, "")
    validator = _validator(canonical_json(_schema(check))) if has_schema else None
    objects = fragments.json_objects(output)
    return any(validator is None or validator.is_valid(value) for value in objects)


def _has_xml(check: Check, text: str) -> bool:
    """Whether the text is XML with the elements that the value names, as "order.city"."""
    wanted = check.texts() if check.value not in (None, "") else []
    return fragments.has_elements(text, filter(None, wanted))


def _schema(check: Check) -> JSON:
    value = _json(check.value) if isinstance(check.value, str) else check.value
    json_schema.check(value)
    return value


@remembered("schemas of checks", 64)
def _validator(schema: str) -> Any:
    return json_schema.validator_of(json_diff.parse(schema))  # type: ignore[arg-type]


NOTHING: Any = object()


def _json(text: str) -> Any:
    try:
        return json_diff.parse(text)
    except (json_diff.NotJSON, json_diff.TooDeep):
        return NOTHING


def _within(check: Check, count: int) -> bool:
    low, high = check.limits()
    return low <= count <= high


def _few_edits(check: Check, output: str) -> bool:
    return Levenshtein.distance(output, check.text()) <= (check.threshold or EDITS)


def _matches(check: Check, output: str) -> bool:
    return patterns.compile(check.text()).search(without_surrogates(output)) is not None


TYPES: dict[str, Callable[[Check, str], bool]] = {
    "equals": _equals,
    "contains": lambda check, output: check.text() in output,
    "icontains": lambda check, output: check.text().lower() in output.lower(),
    "contains-all": lambda check, output: all(text in output for text in check.texts()),
    "contains-any": lambda check, output: any(text in output for text in check.texts()),
    "icontains-all": lambda check, output: all(text.lower() in output.lower() for text in check.texts()),
    "icontains-any": lambda check, output: any(text.lower() in output.lower() for text in check.texts()),
    "starts-with": lambda check, output: output.startswith(check.text()),
    "ends-with": lambda check, output: output.endswith(check.text()),
    "regex": _matches,
    "is-json": _is_json,
    "contains-json": _contains_json,
    "is-xml": _has_xml,
    "contains-xml": lambda check, output: _has_xml(check, output[output.find("<") : output.rfind(">") + 1]),
    "levenshtein": _few_edits,
    "word-count": lambda check, output: _within(check, len(output.split())),
    "character-count": lambda check, output: _within(check, len(output)),
}


# ---- reading and scoring -------------------------------------------------------------------------------------


def read(value: JSON) -> list[Check]:
    """The checks of an example: a list, one object, or a JSON text of either; raises `RowError`."""
    if isinstance(value, str):
        value = _json(value)
    listed = [value] if isinstance(value, dict) else value
    if not isinstance(listed, list):
        raise RowError("invalid_check: The checks are not a list of objects with a type.")
    if len(listed) > MOST_CHECKS:
        raise RowError(f"invalid_check: An example has at most {MOST_CHECKS} checks.")
    return [_check(entry) for entry in listed]


def _check(entry: JSON) -> Check:
    if not isinstance(entry, dict) or not isinstance(entry.get("type"), str):
        raise RowError('invalid_check: A check is an object such as {"type": "contains", "value": "yes"}.')
    name = str(entry["type"])
    kind = name.removeprefix(NOT)
    if kind not in TYPES:
        raise RowError(f"unknown_check: {name[:60]} is no check; the types are {', '.join(TYPES)}.")
    weight, threshold = entry.get("weight", 1), entry.get("threshold")
    for value in (weight, threshold):
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is not None and (not is_number or not 0 <= float(value) < inf):
            raise RowError(f"invalid_check: weight and threshold of {name} are numbers of at least 0.")
    share = 1.0 if weight is None else float(weight)
    limit = None if threshold is None else float(threshold)
    return Check(kind, entry.get("value"), share, limit, name.startswith(NOT))


def score(config: ChecksConfig, pairs: Pairs) -> Scores:
    """The share of the checks' weight that passes. An example without checks has no reference."""
    values, passed = np.zeros(len(pairs)), np.zeros(len(pairs), bool)
    errors, missing = {}, {}
    for row, (actual, expected) in enumerate(zip(pairs.actual, pairs.expected, strict=True)):
        try:
            judged = _judged(_text(actual), expected)
        except RowError as error:
            errors[row] = str(error)
            continue
        if judged:
            values[row], passed[row] = _share(config, judged)
        else:
            missing[row] = Status.MISSING_EXPECTED
    return Scores.scored(values, passed, errors=errors, missing=missing)


def _text(actual: JSON) -> str:
    text = text_of(actual) or ""
    if len(text) > LONGEST:
        raise RowError(TOO_LONG)
    return text


def _judged(output: str, expected: JSON) -> list[tuple[Check, bool]]:
    return [(check, check.passes(output)) for check in read(expected)]


def _share(config: ChecksConfig, judged: list[tuple[Check, bool]]) -> tuple[float, bool]:
    total = sum(check.weight for check, _ in judged)
    share = sum(check.weight for check, passes in judged if passes) / total if total else 0.0
    if config.threshold is not None:
        return share, share >= config.threshold
    # A check without weight counts for nothing, as in promptfoo.
    return share, all(passes for check, passes in judged if check.weight)


def detail(config: ChecksConfig, actual: JSON, expected: JSON) -> dict[str, Any]:
    blocks: dict[str, Any] = {"compared": explain.compared(text_of(actual) or "", canonical_json(expected))}
    try:
        judged = _judged(_text(actual), expected)
    except RowError as error:
        return blocks | {"note": str(error)}
    if not judged:
        return blocks | {"note": "The list of checks is empty."}
    share, _ = _share(config, judged)
    listed = [
        {"type": check.name, "value": check.value, "weight": check.weight, "passed": passes}
        for check, passes in judged
    ]
    passing = sum(passes for _, passes in judged)
    formula = f"{passing} of {len(judged)} checks pass: {explain.number(share)}"
    return blocks | {"checks": listed, "formula": formula + explain.against(share, config.threshold)}


checks = Kind(
    key="checks",
    title="Checks of the example",
    family=Family.SAME_TEXT,
    summary="A list of checks that each example has",
    description="Whether the output passes the checks that its example brings along: a list of objects with type and "
    "value, as promptfoo writes its assertions. The score is the share of their weight that passes.",
    source="promptfoo's deterministic assertions: each gives 1 or 0, a test's score is their weighted mean, and it "
    "passes if all pass or if the score reaches the test's threshold.",
    version=1,
    Config=ChecksConfig,
    score=score,
    detail=detail,
    reads_text=False,
    reads_json=True,
    is_heavy=True,
)
