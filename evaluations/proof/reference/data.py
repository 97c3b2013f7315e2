"""JSON values compared by plain recursion."""

import json
from typing import Any

from evaluations.values import JSON

from .judgement import Judgement, NoScore

DEEPEST = 200


class NotJSON(Exception):
    pass


def json_match(
    actual: JSON, expected: JSON, ignore_order: bool = False, threshold: float | None = None
) -> Judgement:
    wanted = _read(expected)
    try:
        found = _value(actual)
    except NotJSON:
        return Judgement.reaching(0.0, threshold)
    return Judgement.reaching(float(_same(found, wanted, ignore_order)), threshold)


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
    """How many values lie inside each other, the innermost counted."""
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
        rest = list(b)
        for x in a:
            partner = next((place for place, y in enumerate(rest) if _same(x, y, ignore_order)), None)
            if partner is None:
                return False
            del rest[partner]
        return True
    return a == b


def _differences(a: Any, b: Any) -> int:
    if type(a) is not type(b):
        return 1
    if isinstance(a, dict):
        alone = len(a.keys() ^ b.keys())
        return alone + sum(_differences(a[key], b[key]) for key in a.keys() & b.keys())
    if isinstance(a, list):
        return abs(len(a) - len(b)) + sum(_differences(x, y) for x, y in zip(a, b, strict=False))
    return int(a != b)
