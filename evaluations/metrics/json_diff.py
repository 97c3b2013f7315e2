"""Compares JSON values: equality, and the paths at which they differ."""

import json
from collections import Counter
from collections.abc import Hashable, Iterator
from typing import Any

from evaluations.values import JSON

DEEPEST = 200
TOO_DEEP = f"Nested deeper than {DEEPEST} levels."


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


BLANKS = " \t\n\r"
# created once, because with an option json.loads would create a decoder for every text
READER = json.JSONDecoder(parse_constant=_refuse)


class NotJSON(ValueError):
    """The text is not JSON; with the position where parsing stopped."""


class TooDeep(ValueError):
    """The value is nested too deep to compare."""


def parse(text: str) -> JSON:
    """The value of a JSON text. NaN and Infinity are not JSON; of equal keys, the last one counts."""
    try:
        value = _read(text)
    except json.JSONDecodeError as error:
        raise NotJSON(f"{error.msg} at line {error.lineno}, column {error.colno}") from error
    except ValueError as error:
        raise NotJSON(str(error)) from error
    except RecursionError as error:
        raise TooDeep(TOO_DEEP) from error
    # A short text, or one with few opening brackets, cannot be nested that deep.
    if len(text) >= 2 * DEEPEST and text.count("[") + text.count("{") >= DEEPEST:
        check_depth(value)
    return value


def _read(text: str) -> JSON:
    """`json.loads`, but faster: it does not search for surrounding whitespace twice."""
    solid = text.strip(BLANKS)
    try:
        value: JSON
        value, end = READER.raw_decode(solid)
        if end == len(solid):
            return value
    except json.JSONDecodeError:
        pass
    value = json.loads(text, parse_constant=_refuse)  # raises, with the position
    return value


def check_depth(value: JSON) -> None:
    """Refuse values nested deeper than `DEEPEST`."""
    level = [value]
    for _ in range(DEEPEST):
        level = [child for parent in level for child in _children(parent)]
        if not level:
            return
    raise TooDeep(TOO_DEEP)


def _children(value: JSON) -> list[JSON]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def differences(actual: JSON, expected: JSON, path: str = "$") -> Iterator[tuple[str, str, JSON, JSON]]:
    """Each difference once: normalised JSON path, what ("changed", "missing", "unexpected"), actual and
    expected value.

    Values of two types differ as a whole, 1 and 1.0 too; a key or an item of one side only is one difference.
    """
    if type(actual) is not type(expected):
        yield path, "changed", actual, expected
    elif isinstance(actual, dict) and isinstance(expected, dict):
        for key in expected:
            yield from _member(actual, expected, key, f"{path}[{_quoted(key)}]")
        for key in actual:
            if key not in expected:
                yield f"{path}[{_quoted(key)}]", "unexpected", actual[key], None
    elif isinstance(actual, list) and isinstance(expected, list):
        yield from _items(actual, expected, path)
    elif actual != expected:
        yield path, "changed", actual, expected


def count(actual: JSON, expected: JSON) -> int:
    """The number of `differences`, computed much faster, because no paths are built."""
    if type(actual) is not type(expected):
        return 1
    if isinstance(actual, dict) and isinstance(expected, dict):
        both = actual.keys() & expected.keys()
        alone = len(actual) + len(expected) - 2 * len(both)
        return alone + sum(count(actual[key], expected[key]) for key in both)
    if isinstance(actual, list) and isinstance(expected, list):
        return abs(len(actual) - len(expected)) + sum(map(count, actual, expected))
    return int(actual != expected)


def leaves(value: JSON) -> int:
    """The number of values inside; an empty object or list is one."""
    return sum(map(leaves, _children(value))) or 1


def _member(
    actual: dict[str, Any], expected: dict[str, Any], key: str, path: str
) -> Iterator[tuple[str, str, JSON, JSON]]:
    if key in actual:
        yield from differences(actual[key], expected[key], path)
    else:
        yield path, "missing", None, expected[key]


def _items(actual: list[Any], expected: list[Any], path: str) -> Iterator[tuple[str, str, JSON, JSON]]:
    both = min(len(actual), len(expected))
    for index in range(both):
        yield from differences(actual[index], expected[index], f"{path}[{index}]")
    for index in range(both, len(expected)):
        yield f"{path}[{index}]", "missing", None, expected[index]
    for index in range(both, len(actual)):
        yield f"{path}[{index}]", "unexpected", actual[index], None


def _quoted(key: str) -> str:
    return "'" + key.replace("\\", "\\\\").replace("'", "\\'") + "'"


def same(actual: JSON, expected: JSON, *, ignore_order: bool = False) -> bool:
    """Whether two values are equal: the order of keys never counts, 1 is 1.0, true is not 1.

    With `ignore_order` lists are equal when they hold the same items equally often.
    """
    if actual is expected:
        return True
    if not ignore_order:
        if actual != expected:
            return False
        if repr(actual) == repr(expected):  # repr distinguishes 1, 1.0 and true.
            return True
    return _frozen(actual, ignore_order) == _frozen(expected, ignore_order)


def _frozen(value: JSON, ignore_order: bool) -> Hashable:
    if isinstance(value, dict):
        return "object", frozenset((key, _frozen(item, ignore_order)) for key, item in value.items())
    if isinstance(value, list):
        items = [_frozen(item, ignore_order) for item in value]
        return "list", frozenset(Counter(items).items()) if ignore_order else tuple(items)
    return ("boolean", value) if isinstance(value, bool) else value
