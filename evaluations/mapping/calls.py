"""Calls of functions in answers, as Python writes them or as JSON between marks: get_weather(city="Oslo", days=3)."""

import ast
import json
from typing import Any

from evaluations import fences, strict_json
from evaluations.linear import Pattern
from evaluations.values import JSON

LONGEST = 10_000  # characters
MOST = 200  # calls
MARKED = Pattern(r"(?s)<tool_call>\s*(.*?)\s*</tool_call>")
ARGUMENTS = frozenset(("arguments", "parameters", "args"))
NAMES = ("name", "tool", "function", "tool_name", "function_name")  # of the field that names what is called
WORDS: dict[str, JSON] = {"true": True, "false": False, "null": None}  # as other languages spell them


def found(text: str) -> list[dict[str, Any]]:
    """The calls of a text, as objects with name and arguments; [] without any.

    As Python writes them in the whole text or its first fence; else as JSON between <tool_call> and </tool_call>, or
    anywhere in the text, with parameters as some models call the arguments.

    >>> found("[find(city='Oslo', days=3)]") == found('find(days=3, city="Oslo")')
    True
    >>> found("maps.find(5, near=true)"), found("It is print, say (now)."), found("f(x)")
    ([{'name': 'maps.find', 'arguments': {'0': 5, 'near': True}}], [], [])
    >>> found('<tool_call>{"name": "find", "arguments": {"days": 3}}</tool_call>')
    [{'name': 'find', 'arguments': {'days': 3}}]
    >>> found('I look: {"name": "find", "parameters": {"days": 3}}')
    [{'name': 'find', 'arguments': {'days': 3}}]
    >>> found('{"tool": "find", "args": {"days": 3}}')
    [{'name': 'find', 'arguments': {'days': 3}}]
    """
    if len(text) > LONGEST:
        return []
    fenced = [content for _, content in fences.fenced_blocks(text)]
    for part in (text, *fenced):
        if calls := _read(part.strip().strip("`").strip()):
            return calls
    if marked := [match[1] for match in MARKED.finditer(text)][:MOST]:
        return [call for one in marked for call in _of_json(one)]
    return next((calls for part in (text, *fenced, *fences.balanced(text)) if (calls := _of_json(part))), [])


def _of_json(text: str) -> list[dict[str, Any]]:
    """The calls that a text is as JSON; [] if it is anything else."""
    value = _parsed(text)
    calls = [_of_object(call) for call in (value if isinstance(value, list) else [value])]
    found = [call for call in calls if call]
    return found if len(found) == len(calls) else []


def _parsed(text: str) -> JSON:
    """A text as JSON; None if it is none."""
    try:
        parsed: JSON = strict_json.parse(text.encode())
        return parsed
    except (strict_json.JSONError, UnicodeEncodeError):
        return None


def _of_object(value: JSON) -> dict[str, Any]:
    """The call that an object is, also as {name: arguments}; {} for any other value."""
    if isinstance(value, dict) and len(value) == 1:
        [(name, arguments)] = value.items()
        given = _parsed(arguments) if isinstance(arguments, str) else arguments
        return {"name": name, "arguments": given} if isinstance(given, dict) else {}
    if not isinstance(value, dict) or ARGUMENTS.isdisjoint(value):
        return {}
    named = next((value[name] for name in NAMES if isinstance(value.get(name), str)), None)
    given = next(value[name] for name in value if name in ARGUMENTS)
    return {} if named is None else {"name": named, "arguments": given}


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
