"""Calls of functions in answers, as Python writes them: get_weather(city="Oslo", days=3)."""

import ast
import json
from typing import Any

from evaluations import fences
from evaluations.values import JSON

LONGEST = 10_000  # characters
MOST = 200  # calls
WORDS: dict[str, JSON] = {"true": True, "false": False, "null": None}  # as other languages spell them


def found(text: str) -> list[dict[str, Any]]:
    """The calls of a text, as objects with name and arguments: all of it, else its first fence; [] without any.

    >>> found("[find(city='Oslo', days=3)]") == found('find(days=3, city="Oslo")')
    True
    >>> found("maps.find(5, near=true)"), found("It is print, say (now)."), found("f(x)")
    ([{'name': 'maps.find', 'arguments': {'0': 5, 'near': True}}], [], [])
    """
    if len(text) > LONGEST:
        return []
    for part in (text, *(content for _, content in fences.fenced_blocks(text))):
        if calls := _read(part.strip().strip("`").strip()):
            return calls
    return []


def _read(text: str) -> list[dict[str, Any]]:
    try:
        tree: ast.AST = ast.parse(text, mode="eval").body
        calls = tree.elts if isinstance(tree, ast.List | ast.Tuple) else [tree]
        return [_call(call) for call in calls] if len(calls) <= MOST else []
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _call(tree: ast.AST) -> dict[str, Any]:
    """Raises `ValueError` for anything but a call with plain values."""
    if not isinstance(tree, ast.Call):
        raise ValueError("no call")
    arguments: dict[str, JSON] = {str(place): _value(one) for place, one in enumerate(tree.args)}
    for keyword in tree.keywords:
        if keyword.arg is None:
            raise ValueError("no name")
        arguments[keyword.arg] = _value(keyword.value)
    return {"name": _name(tree.func), "arguments": arguments}


def _value(tree: ast.expr) -> JSON:
    if isinstance(tree, ast.Name) and tree.id in WORDS:
        return WORDS[tree.id]
    try:
        value: JSON = json.loads(json.dumps(ast.literal_eval(tree), allow_nan=False))
    except TypeError as error:
        raise ValueError("no plain value") from error
    return value


def _name(tree: ast.AST) -> str:
    if isinstance(tree, ast.Name):
        return tree.id
    if isinstance(tree, ast.Attribute):
        return f"{_name(tree.value)}.{tree.attr}"
    raise ValueError("no name")
