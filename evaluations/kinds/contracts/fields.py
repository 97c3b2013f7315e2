"""The contract of JSON fields, computed in another way than the kind does it."""

import json
from collections.abc import Sequence
from datetime import date, datetime
from itertools import permutations
from typing import Any

from evaluations.kinds.contracts.answers import edit_count
from evaluations.kinds.contracts.contract import NULLS, TOO_LONG, Contract, Vector
from evaluations.kinds.contracts.judgement import Judgement, NoScore, text
from evaluations.kinds.contracts.structures import same
from evaluations.values import JSON


def json_fields(
    actual: JSON,
    expected: JSON,
    measure: str = "share",
    rules: dict[str, Any] | None = None,
    lists: str = "position",
    threshold: float | None = None,
    *,
    whole: bool = False,
) -> Judgement:
    try:
        wanted = json.loads(expected) if isinstance(expected, str) else expected
    except json.JSONDecodeError as error:
        raise NoScore("error") from error
    given = _given(actual) if isinstance(actual, str) else actual
    right, needed, made = _counted(given, wanted, "$", rules or {}, lists, whole)
    if not needed and not made:
        return Judgement.reaching(1.0, threshold)
    by = {"precision": made, "f1": (needed + made) / 2}.get(measure, needed)
    return Judgement.reaching(right / by if by else 0.0, threshold)


NOTHING = object()


def _given(output: str) -> Any:
    """The JSON of an output: all of it, else what stands between the first fences around JSON."""
    inside = output.split("```")[1::2]
    for candidate in [output, *(block[block.find("\n") + 1 :] for block in inside)]:
        try:
            return json.loads(candidate)
        except json.JSONDecodeError:
            continue
    return NOTHING


def _counted(
    a: Any, b: Any, path: str, rules: dict[str, Any], lists: str, whole: bool
) -> tuple[float, int, int]:
    """Right fields, fields of the reference, and fields of the output."""
    rule = rules.get(path)
    if rule and rule["rule"] == "ignore":
        return 0, 0, 0
    if b is NOTHING:
        _, extra, _ = _counted(a, a, path, rules, lists, whole)
        return 0, 0, extra
    if not rule and a is not NOTHING and _shape(a) != _shape(b):
        return 0, _counted(b, b, path, rules, lists, whole)[1], _counted(a, a, path, rules, lists, whole)[1]
    if not rule and isinstance(b, dict) and b:
        sides = a if isinstance(a, dict) else {}
        names = [*b, *(name for name in sides if name not in b)]
        pairs = [(sides.get(name, NOTHING), b.get(name, NOTHING), f"{path}.{name}") for name in names]
    elif not rule and isinstance(b, list) and b:
        pairs = [
            (x, y, f"{path}[*]")
            for x, y in _pairs(a if isinstance(a, list) else [], b, path, rules, lists, whole)
        ]
    else:
        is_right = a is not NOTHING and _holds(rule or {"rule": "exact"}, a, b)
        return int(is_right), 1, int(a is not NOTHING)
    counts = [_counted(*pair, rules, lists, whole) for pair in pairs]
    if whole and isinstance(b, list):
        counts = [_as_one(*count) for count in counts]
    right, wanted, made = zip(*counts, strict=True)
    return sum(right), sum(wanted), sum(made)


def _as_one(right: float, wanted: int, made: int) -> tuple[float, int, int]:
    """A member of a list as one field."""
    return int(right == wanted == made > 0), min(wanted, 1), min(made, 1)


def _shape(value: Any) -> str:
    return type(value).__name__ if isinstance(value, dict | list) and value else ""


def _pairs(
    a: list[Any], b: list[Any], path: str, rules: dict[str, Any], lists: str, whole: bool
) -> list[tuple[Any, Any]]:
    size = max(len(a), len(b))
    left, right = a + [NOTHING] * (size - len(a)), b + [NOTHING] * (size - len(b))
    if lists == "position":
        return list(zip(left, right, strict=True))
    if lists == "best":
        return max(
            (list(zip(order, right, strict=True)) for order in permutations(left)),
            key=lambda pairs: _agreed(
                [_counted(x, y, f"{path}[*]", rules, lists, whole) for x, y in pairs], whole
            ),
        )
    pairs, unused = [], list(a)
    for wanted in b:
        has_key = isinstance(wanted, dict) and lists in wanted
        found = next(
            (x for x in unused if has_key and isinstance(x, dict) and x.get(lists, NOTHING) == wanted[lists]),
            NOTHING,
        )
        pairs.append((found, wanted))
        unused = [x for x in unused if x is not found]
    return pairs + [(x, NOTHING) for x in unused]


def _agreed(counts: Sequence[tuple[float, int, int]], whole: bool) -> tuple[float, float]:
    """How many members are right as a whole, if that counts, and how many fields are."""
    members = sum(_as_one(*count)[0] for count in counts) if whole else 0
    return members, sum(right for right, *_ in counts)


def _holds(rule: dict[str, Any], a: Any, b: Any) -> bool:
    if rule["rule"] == "number":
        try:
            return bool(abs(float(a) - float(b)) <= rule.get("tolerance", 0))
        except (TypeError, ValueError):
            return False
    if rule["rule"] == "boolean":
        sides = [str(side).strip().lower() for side in (a, b)]
        return any(
            all(side in words for side in sides) for words in (("true", "yes", "1"), ("false", "no", "0"))
        )
    if rule["rule"] == "date":
        return _day(a) is not None and _day(a) == _day(b)
    if rule["rule"] == "similarity":
        sides = [text(a), text(b)]
        longest = max(map(len, sides)) or 1
        return bool(1 - edit_count(list(sides[0]), list(sides[1])) / longest >= rule.get("threshold", 0.8))
    return same(a, b)


def _day(value: Any) -> date | None:
    try:
        return datetime.fromisoformat(str(value).strip()).date()
    except ValueError:
        return None


PERSON = {"name": "Ann", "city": "Graz", "zip": "8010"}
LINES: dict[str, JSON] = {"lines": [{"id": 1, "n": 2}, {"id": 2, "n": 5}]}


CONTRACTS = {
    "json_fields": Contract(
        reference=json_fields,
        reads_json=True,
        formula="The fields of the reference that are right in the output, divided by the fields of the "
        "reference (share and "
        "recall), of the output (precision), or by half of both (f1). A field is a value that is no "
        "object and no list.",
        edge_cases=(
            NULLS,
            "Of an output that is not JSON, the first fenced block that is JSON is read.",
            "An output without JSON has no field right. A missing field is wrong; one too many costs "
            "precision and f1.",
            "number reads numbers in texts too and allows a tolerance; date compares the day of ISO dates; "
            "similarity is that of edits of texts, or of JSON texts, in which 1 and 1.0 differ; ignore leaves a "
            "field out on both sides.",
            "An empty object or list is one field. Where one side has a value and the other an object or list, the "
            "fields of the reference are missing, and those of the output are too many.",
            "Lists of more than 200 members are paired by position.",
            "A reference that is not JSON is an error (invalid_json).",
            TOO_LONG,
        ),
        golden=(
            Vector('{"zip":"8010","name":"Ann","city":"Graz"}', PERSON, 1.0),
            Vector({"name": "Ann", "city": "Graz"}, PERSON, 2 / 3, why="zip is missing"),
            Vector({"name": "Ann", "city": "Steyr", "zip": "4400", "phone": "1"}, PERSON, 1 / 3),
            Vector(
                {**PERSON, "phone": "1"}, PERSON, 0.75, None, {"measure": "precision"}, why="3 of 4 given"
            ),
            Vector({**PERSON, "phone": "1"}, PERSON, 6 / 7, None, {"measure": "f1"}, why="3 / ((3 + 4) / 2)"),
            Vector("no JSON", PERSON, 0.0, False, {"threshold": 0.5}),
            Vector(
                'Here it is:\n```json\n{"name": "Ann", "city": "Linz"}\n```',
                PERSON,
                1 / 3,
                why="read out of the fence",
            ),
            Vector(PERSON, PERSON, 1.0, True, {"threshold": 1.0}),
            Vector(
                {"n": "10.4"}, {"n": 10}, 1.0, None, {"rules": {"$.n": {"rule": "number", "tolerance": 0.5}}}
            ),
            Vector({"b": True}, {"b": "Yes"}, 1.0, None, {"rules": {"$.b": {"rule": "boolean"}}}),
            Vector({"b": "maybe"}, {"b": "yes"}, 0.0, None, {"rules": {"$.b": {"rule": "boolean"}}}),
            Vector(
                {"d": "2026-03-01T10:00:00"},
                {"d": "2026-03-01"},
                1.0,
                None,
                {"rules": {"$.d": {"rule": "date"}}},
            ),
            Vector({"a": 1, "b": 2}, {"a": 1, "b": 3}, 1.0, None, {"rules": {"$.b": {"rule": "ignore"}}}),
            Vector({"lines": [{"id": 2, "n": 5}, {"id": 1, "n": 2}]}, LINES, 0.0, why="by position"),
            Vector({"lines": [{"id": 2, "n": 5}, {"id": 1, "n": 2}]}, LINES, 1.0, None, {"lists": "best"}),
            Vector(
                {"lines": [{"id": 2, "n": 6}]}, LINES, 0.25, None, {"lists": "id"}, why="id of the second"
            ),
            Vector(
                [{"text": "Oslo", "type": "place"}, {"text": "Ann", "type": "place"}],
                [
                    {"text": "Ann", "type": "person"},
                    {"text": "Oslo", "type": "place"},
                    {"text": "Bo", "type": "person"},
                ],
                0.4,
                None,
                {"measure": "f1", "lists": "best", "whole": True},
                why="1 / ((2 + 3) / 2)",
            ),
            Vector(
                {"a": 1, "b": [{"c": 1}, {"c": 2}]},
                {"a": 1, "b": []},
                1 / 3,
                None,
                {"measure": "precision"},
                why="b has two fields too many",
            ),
            Vector({"a": 1, "b": 5}, {"a": 1, "b": {"c": 5}}, 0.5, None, {"measure": "precision"}),
            Vector({"a": 1}, "{", None, status="error"),
        ),
    ),
}
