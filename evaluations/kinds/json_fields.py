"""The kind `json_fields`: the values of a reference, field by field, each by a rule of its own."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import scipy
from pydantic import Field, model_validator
from rapidfuzz.distance import Levenshtein

from evaluations import fences
from evaluations.kinds import explain
from evaluations.kinds.config import Config, Threshold
from evaluations.kinds.kind import Family, Kind
from evaluations.kinds.pairs import Pairs
from evaluations.kinds.scores import Scores
from evaluations.metrics import json_diff, number_reader, numbers
from evaluations.values import JSON, canonical_json, text_or_json

MOST_ITEMS = 200
MOST_FIELDS = 1_000_000  # more than a member has
ABSENT = object()


class Rule(Config):
    """How one field is compared."""

    rule: Literal["exact", "number", "boolean", "date", "similarity", "ignore"]
    tolerance: Annotated[float, Field(ge=0)] = 0.0
    threshold: Annotated[float, Field(ge=0, le=1)] = 0.8

    def holds(self, actual: JSON, expected: JSON) -> bool:
        return HOLDS[self.rule](self, actual, expected)


class JsonFieldsConfig(Config):
    counts_both: ClassVar[bool] = False  # where one side has a value and the other an object or list
    reads_fences: ClassVar[bool] = False  # of an output that is no JSON, the first fenced block that is

    measure: Annotated[
        Literal["share", "precision", "recall", "f1"],
        Field(
            title="Measure",
            description="share and recall: right fields by those of the reference; precision: by those of the "
            "output; "
            "f1: both.",
        ),
    ] = "share"
    rules: Annotated[
        dict[str, Rule],
        Field(
            title="Rules",
            description="A JSON object of rules by path: exact (the rule of all others), number with a "
            "tolerance, boolean (true, yes and 1), date, "
            "similarity with a threshold, or ignore. Members of a list have [*].",
            examples=[
                {"$.total": {"rule": "number", "tolerance": 0.01}, "$.lines[*].note": {"rule": "ignore"}}
            ],
        ),
    ] = {}
    lists: Annotated[
        str,
        Field(
            min_length=1,
            max_length=200,
            title="Lists",
            description="Members are paired by position, best (so that most fields agree), or by a key: its name.",
        ),
    ] = "position"
    whole: Annotated[
        bool,
        Field(
            title="Whole members",
            description="A member of a list is one field, right if all in it is: an entity of the wrong type is not "
            "found.",
        ),
    ] = False
    threshold: Threshold = None

    @property
    def can_be_whole(self) -> bool:
        return True

    @property
    def counts_parts(self) -> str:
        return "fields right" if self.measure in ("share", "recall") else ""

    @model_validator(mode="after")
    def _has_paths(self) -> "JsonFieldsConfig":
        for path in self.rules:
            if not path.startswith("$"):
                raise ValueError(f"{path[:80]} is no path; paths begin with $.")
        return self


class JsonFieldsConfig2(JsonFieldsConfig):
    """Counts the fields of each side, also where one has a value and the other an object or list."""

    counts_both: ClassVar[bool] = True


class JsonFieldsConfig3(JsonFieldsConfig2):
    """Reads the JSON of an output also where it stands in a fence."""

    reads_fences: ClassVar[bool] = True


class Unread(ValueError):
    """The expected side is not JSON; the message is a code and a sentence."""


def score(config: JsonFieldsConfig, pairs: Pairs) -> Scores:
    """The share of fields that are right; 0.0 for an output that is not JSON."""
    values, errors = np.zeros(len(pairs)), {}
    for row, (actual, expected) in enumerate(zip(pairs.actual, pairs.expected, strict=True)):
        try:
            fields = list(compared(config, actual, expected))
        except Unread as error:
            errors[row] = str(error)
        else:
            values[row] = _measured(config, fields)
    return Scores.scored(
        values, None if config.threshold is None else values >= config.threshold, errors=errors
    )


FieldResult = tuple[
    str, bool, Any, Any
]  # path, right, actual and expected value (ABSENT where a side has none)


def compared(config: JsonFieldsConfig, actual: JSON, expected: JSON) -> Iterator[FieldResult]:
    """Every field of both sides that no rule ignores; raises `Unread`."""
    try:
        wanted = json_diff.parse(expected) if isinstance(expected, str) else expected
        json_diff.check_depth(wanted)
    except (json_diff.NotJSON, json_diff.TooDeep) as error:
        raise Unread(f"invalid_json: The expected value is not JSON: {error}.") from error
    try:
        given: Any = _parsed(config, actual) if isinstance(actual, str) else actual
        json_diff.check_depth(given)
    except (json_diff.NotJSON, json_diff.TooDeep):
        given = ABSENT
    return _fields(config, given, wanted, "$", "$")


def _parsed(config: JsonFieldsConfig, text: str) -> JSON:
    """The value of an output; raises `NotJSON` if neither the text nor a fenced block in it is JSON."""
    try:
        return json_diff.parse(text)
    except json_diff.NotJSON:
        for _, content in fences.fenced_blocks(text) if config.reads_fences else ():
            try:
                return json_diff.parse(content)
            except json_diff.NotJSON:
                continue
        raise


def _fields(
    config: JsonFieldsConfig, actual: Any, expected: Any, path: str, rule_path: str
) -> Iterator[FieldResult]:
    rule = config.rules.get(rule_path)
    if rule and rule.rule == "ignore":
        return
    if rule is None and config.counts_both and _differ(actual, expected):
        yield from _fields(config, ABSENT, expected, path, rule_path)
        yield from _either(config, actual, ABSENT, path, rule_path)
    elif rule is None and isinstance(expected, dict) and expected:
        yield from _members(config, actual if isinstance(actual, dict) else {}, expected, path, rule_path)
    elif rule is None and isinstance(expected, list) and expected:
        pairs = _paired(config, actual if isinstance(actual, list) else [], expected, rule_path)
        found = _as_one if config.whole else _either
        for number, (item, wanted) in enumerate(pairs):
            yield from found(config, item, wanted, f"{path}[{number}]", f"{rule_path}[*]")
    else:
        is_right = actual is not ABSENT and (rule or EXACT).holds(actual, expected)
        yield path, is_right, actual, expected


def _differ(actual: Any, expected: Any) -> bool:
    """Whether one side has members and the other a value, or members of another type."""
    if actual is ABSENT or expected is ABSENT:
        return False
    shapes = [type(side) if isinstance(side, dict | list) and side else None for side in (actual, expected)]
    return shapes[0] is not shapes[1]


def _members(
    config: JsonFieldsConfig, actual: dict[str, JSON], expected: dict[str, JSON], path: str, rule_path: str
) -> Iterator[FieldResult]:
    for name in [*expected, *(name for name in actual if name not in expected)]:
        sides = actual.get(name, ABSENT), expected.get(name, ABSENT)
        yield from _either(config, *sides, f"{path}.{name}", f"{rule_path}.{name}")


def _either(
    config: JsonFieldsConfig, actual: Any, expected: Any, path: str, rule_path: str
) -> Iterator[FieldResult]:
    """The fields of a pair, one side of which may be absent."""
    if expected is not ABSENT:
        yield from _fields(config, actual, expected, path, rule_path)
    else:
        for extra_path, _, value, _ in _fields(config, actual, actual, path, rule_path):
            yield extra_path, False, value, ABSENT


def _as_one(
    config: JsonFieldsConfig, actual: Any, expected: Any, path: str, rule_path: str
) -> Iterator[FieldResult]:
    """A pair of members as one field, unless rules ignore all of it."""
    fields = [*_either(config, actual, expected, path, rule_path)]
    if fields:
        yield path, all(is_right for _, is_right, *_ in fields), actual, expected


def _paired(
    config: JsonFieldsConfig, actual: Sequence[Any], expected: Sequence[Any], rule_path: str
) -> list[tuple[Any, Any]]:
    """The members of two lists in pairs; ABSENT stands for the missing one."""
    is_small = max(len(actual), len(expected)) <= MOST_ITEMS
    if config.lists == "position" or not is_small:
        size = max(len(actual), len(expected))
        return [(_at(actual, index), _at(expected, index)) for index in range(size)]
    if config.lists == "best":
        partner = _best_partners(config, actual, expected, rule_path)
    else:
        partner = _partners_by_key(config.lists, actual, expected)
    matched = [(actual[partner[n]] if n in partner else ABSENT, wanted) for n, wanted in enumerate(expected)]
    used = set(partner.values())
    return matched + [(item, ABSENT) for n, item in enumerate(actual) if n not in used]


def _at(items: Sequence[Any], index: int) -> Any:
    return items[index] if index < len(items) else ABSENT


def _best_partners(
    config: JsonFieldsConfig, actual: Sequence[Any], expected: Sequence[Any], rule_path: str
) -> dict[int, int]:
    """For each expected member the one of the output with which most fields agree, over all pairs."""
    if not actual or not expected:
        return {}
    right = np.array(
        [[_agreement(config, item, wanted, f"{rule_path}[*]") for item in actual] for wanted in expected]
    )
    rows, columns = scipy.optimize.linear_sum_assignment(right, maximize=True)
    return dict(zip(rows.tolist(), columns.tolist(), strict=True))


def _agreement(config: JsonFieldsConfig, actual: Any, expected: Any, rule_path: str) -> int:
    """How many fields of two members agree; where members count as a whole, one that is right before any others."""
    hits = [is_right for _, is_right, *_ in _fields(config, actual, expected, "", rule_path)]
    return sum(hits) + (MOST_FIELDS if config.whole and all(hits) else 0)


def _partners_by_key(key: str, actual: Sequence[Any], expected: Sequence[Any]) -> dict[int, int]:
    by_key: dict[str, int] = {}
    for index, item in enumerate(actual):
        if isinstance(item, dict) and key in item:
            by_key.setdefault(canonical_json(item[key]), index)
    partners = {}
    for index, wanted in enumerate(expected):
        value = canonical_json(wanted[key]) if isinstance(wanted, dict) and key in wanted else None
        if value is not None and value in by_key:
            partners[index] = by_key.pop(value)
    return partners


def _measured(config: JsonFieldsConfig, fields: Sequence[FieldResult]) -> float:
    right = sum(hit for _, hit, *_ in fields)
    wanted = sum(expected is not ABSENT for *_, expected in fields)
    given = sum(actual is not ABSENT for _, _, actual, _ in fields)
    if not wanted and not given:
        return 1.0
    by = {"precision": given, "f1": (wanted + given) / 2}.get(config.measure, wanted)
    return right / by if by else 0.0


# ---- rules ---------------------------------------------------------------------------------------------------


def _exact(rule: Rule, actual: JSON, expected: JSON) -> bool:
    return json_diff.same(actual, expected)


def _number(rule: Rule, actual: JSON, expected: JSON) -> bool:
    sides = [numbers.of_value(side) for side in (actual, expected)]
    read = [
        number if number is not None else _whole(side)
        for number, side in zip(sides, (actual, expected), strict=True)
    ]
    return (
        read[0] is not None and read[1] is not None and abs(float(read[0]) - float(read[1])) <= rule.tolerance
    )


def _whole(side: JSON) -> Any:
    number = number_reader.whole(side) if isinstance(side, str) else None
    return number.value if number else None


def _boolean(rule: Rule, actual: JSON, expected: JSON) -> bool:
    said = [BOOLEANS.get(str(side).strip().lower()) for side in (actual, expected)]
    return said[0] is not None and said[0] == said[1]


def _date(rule: Rule, actual: JSON, expected: JSON) -> bool:
    try:
        dates = [datetime.fromisoformat(str(side).strip()).date() for side in (actual, expected)]
    except ValueError:
        return False
    return dates[0] == dates[1]


def _similar(rule: Rule, actual: JSON, expected: JSON) -> bool:
    sides = [text_or_json(side) for side in (actual, expected)]
    return Levenshtein.normalized_similarity(*sides) >= rule.threshold


BOOLEANS = {**dict.fromkeys(("true", "yes", "1"), True), **dict.fromkeys(("false", "no", "0"), False)}
HOLDS: dict[str, Callable[[Rule, JSON, JSON], bool]] = {
    "exact": _exact,
    "number": _number,
    "boolean": _boolean,
    "date": _date,
    "similarity": _similar,
    "ignore": lambda rule, actual, expected: True,
}
EXACT = Rule(rule="exact")


def detail(config: JsonFieldsConfig, actual: JSON, expected: JSON) -> dict[str, Any]:
    blocks: dict[str, Any] = {"compared": explain.compared(text_or_json(actual), text_or_json(expected))}
    try:
        fields = list(compared(config, actual, expected))
    except Unread as error:
        return blocks | {"note": str(error)}
    wrong = [field for field in fields if not field[1]]
    listed = [
        {
            "path": path,
            "what": "unexpected" if wanted is ABSENT else "missing" if given is ABSENT else "changed",
            "actual": None if given is ABSENT else given,
            "expected": None if wanted is ABSENT else wanted,
        }
        for path, _, given, wanted in wrong[: explain.MOST_LISTED]
    ]
    value = _measured(config, fields)
    wanted_count = sum(wanted is not ABSENT for *_, wanted in fields)
    formula = f"{len(fields) - len(wrong)} of {wanted_count} fields are right: {explain.number(value)}"
    blocks |= {"paths": listed, "path_count": len(wrong)}
    return blocks | {"formula": formula + explain.against(value, config.threshold)}


json_fields_1 = Kind(
    key="json_fields",
    title="JSON fields",
    family=Family.STRUCTURE,
    summary="The share of fields that are right",
    description="How many values of the expected JSON the output has, each compared by a rule: exactly, as a "
    "number or "
    "date, by similarity, or not at all. Lists are paired by position, by a key, or so that most agrees.",
    source="Field accuracy of extraction tasks; lists are paired by scipy's linear_sum_assignment.",
    version=1,
    Config=JsonFieldsConfig,
    score=score,
    detail=detail,
    reads_text=False,
    reads_json=True,
)

json_fields_2 = replace(json_fields_1, version=2, Config=JsonFieldsConfig2, earlier=json_fields_1)
json_fields = replace(json_fields_2, version=3, Config=JsonFieldsConfig3, earlier=json_fields_2)
