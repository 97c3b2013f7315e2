"""Contracts of the kinds that compare JSON values; the references use plain recursion."""

import json
from collections.abc import Iterator
from typing import Any

from evaluations.kinds.contracts.contract import NULLS, Contract, Vector
from evaluations.kinds.contracts.judgement import Judgement, NoScore
from evaluations.values import JSON

DEEPEST = 200
TOO_DEEP = "A value nested deeper than 200 levels is an error (too_deep)."


class NotJSON(Exception):
    pass


def json_match(
    actual: JSON, expected: JSON, ignore_order: bool = False, threshold: float | None = None
) -> Judgement:
    expected_value = _read(expected)
    try:
        actual_value = _value(actual)
    except NotJSON:
        return Judgement.reaching(0.0, threshold)
    return Judgement.reaching(float(_same(actual_value, expected_value, ignore_order)), threshold)


def json_distance(actual: JSON, expected: JSON) -> Judgement:
    return Judgement(float(_differences(_read(actual), _read(expected))))


def _read(value: JSON) -> JSON:
    try:
        return _value(value)
    except NotJSON as error:
        raise NoScore("error") from error


def _value(value: JSON) -> JSON:
    if isinstance(value, str):
        try:
            value = json.loads(value, parse_constant=_refuse)
        except ValueError as error:
            raise NotJSON from error
    if _depth(value) > DEEPEST:
        raise NoScore("error")
    return value


def _depth(value: JSON) -> int:
    """The depth of nesting; 1 for a value that is neither list nor object."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max(map(_depth, inner), default=0)


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _same(a: Any, b: Any, ignore_order: bool) -> bool:
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same(a[key], b[key], ignore_order) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            return False
        if not ignore_order:
            return all(_same(x, y, ignore_order) for x, y in zip(a, b, strict=True))
        unmatched = list(b)
        for x in a:
            partner = next((index for index, y in enumerate(unmatched) if _same(x, y, ignore_order)), None)
            if partner is None:
                return False
            del unmatched[partner]
        return True
    return bool(a == b)


def _differences(a: Any, b: Any) -> int:
    if type(a) is not type(b):
        return 1
    if isinstance(a, dict):
        alone = len(a.keys() ^ b.keys())
        return alone + sum(_differences(a[key], b[key]) for key in a.keys() & b.keys())
    if isinstance(a, list):
        return abs(len(a) - len(b)) + sum(_differences(x, y) for x, y in zip(a, b, strict=False))
    return int(a != b)


def _depth_limits(equal: float) -> Iterator[Vector]:
    for depth, value, status in ((DEEPEST, equal, "scored"), (DEEPEST + 1, None, "error")):
        nested = "[" * depth + "]" * depth
        yield Vector(nested, nested, value, status=status)


CONTRACTS = {
    "json_match": Contract(
        reference=json_match,
        reads_json=True,
        limits=lambda: _depth_limits(equal=1.0),
        formula="1.0 if both values contain the same data, else 0.0. Texts are read as JSON first.",
        edge_cases=(
            NULLS,
            "Layout and the order of keys are ignored; 1 equals 1.0, and true is not 1.",
            "With ignore_order, lists are equal if they contain the same items equally often, at every depth.",
            "An actual text that is not JSON scores 0.0; an expected text that is not JSON is an "
            "error (invalid_json). NaN "
            "and Infinity are not JSON.",
            "If a key is repeated, its last value counts.",
            TOO_DEEP,
        ),
        golden=(
            Vector('{"a":1,\n"b":[1,2]}', '{"b": [1, 2], "a": 1.0}', 1.0),
            Vector('{"a": 1}', {"a": 1}, 1.0, True, {"threshold": 0.5}, why="text against object"),
            Vector("[true]", "[1]", 0.0, why="true is not 1"),
            Vector("[1, 2]", "[2, 1]", 0.0),
            Vector("[1, [2, 3]]", "[[3, 2], 1]", 1.0, None, {"ignore_order": True}),
            Vector("[1, 1, 2]", "[1, 2, 2]", 0.0, None, {"ignore_order": True}, why="not equally often"),
            Vector("no JSON", "{}", 0.0),
            Vector("{}", "no JSON", None, status="error"),
            Vector("[NaN]", "[1]", 0.0, why="NaN is not JSON"),
            Vector('{"a": 1, "a": 2}', '{"a": 2}', 1.0, why="the last one counts"),
            Vector(
                "null", None, None, status="missing_expected", why="the text holds null; the value is null"
            ),
        ),
    ),
    "json_distance": Contract(
        reference=json_distance,
        reads_json=True,
        limits=lambda: _depth_limits(equal=0.0),
        formula="The number of differences between two JSON values: unequal values, keys that only one side "
        "has, and extra items of the longer list.",
        edge_cases=(
            NULLS,
            "Values of different types, such as 1 and 1.0, are one difference, however large they are.",
            "A key or an item of one side only is one difference, however large it is.",
            "A text that is not JSON is an error (invalid_json), on either side.",
            TOO_DEEP,
        ),
        golden=(
            Vector('{"a": 1, "b": 2}', '{"b": 2, "a": 1}', 0),
            Vector('{"a": 1, "b": [1, 2]}', '{"a": 2, "b": [1, 3]}', 2, why="$.a and $.b[1]"),
            Vector("[1, 2, 3]", "[1]", 2, why="two items more"),
            Vector('{"a": 1}', '{"b": {"c": 1, "d": 2}}', 2, why="one key of each side only"),
            Vector("1", "1.0", 1, why="two types"),
            Vector('[1, "x", {}]', '{"a": 1}', 1, why="list against object"),
            Vector({"a": None}, {"a": None}, 0),
            Vector("no JSON", "{}", None, status="error"),
            Vector("{}", None, None, status="missing_expected"),
        ),
    ),
}
