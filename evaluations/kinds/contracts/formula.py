"""Contract of the kind that computes with scores; the reference walks the tree that Python's parser makes."""

import ast
import json
import math
import operator
from collections.abc import Callable
from typing import Any

from evaluations.kinds.contracts.contract import TOO_LONG, Contract, Vector
from evaluations.kinds.contracts.judgement import Judgement, NoScore
from evaluations.values import JSON

SIGNS = {"×": "*", "÷": "/", "−": "-", "≤": "<=", "≥": ">=", "if(": "If("}
Numbers = dict[str, Any]
BINARY: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Lt: operator.lt,
    ast.Gt: operator.gt,
    ast.LtE: operator.le,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


def formula(
    actual: JSON,
    expected: JSON,
    expression: str,
    direction: str = "maximize",
    threshold: float | None = None,
    sources: Numbers | None = None,
) -> Judgement:
    for sign, plain in SIGNS.items():
        expression = expression.replace(sign, plain)
    try:
        value = float(_value(ast.parse(expression, mode="eval").body, _numbers(actual)))
    except ZeroDivisionError:
        raise NoScore("error") from None
    if direction == "maximize" or threshold is None:
        return Judgement.reaching(value, threshold)
    return Judgement(value, value <= threshold)


def _numbers(actual: JSON) -> Numbers:
    if isinstance(actual, str):
        try:
            actual = json.loads(actual) if actual[:1] in "{[" else None
        except ValueError:
            actual = None
    if not isinstance(actual, dict):
        raise NoScore("error")
    if any(not isinstance(number, bool | int | float | None) for number in actual.values()):
        raise NoScore("error")
    return actual


def _value(node: Any, numbers: Numbers) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        number = numbers.get(node.id)
        if number is None or not math.isfinite(number):
            raise NoScore("missing_actual")
        return number
    if isinstance(node, ast.Call):
        return _called(node, numbers)
    parts = [_value(part, numbers) for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
    if isinstance(node, ast.UnaryOp):
        return -parts[0] if isinstance(node.op, ast.USub) else not parts[0]
    if isinstance(node, ast.BoolOp):
        truths = [bool(part) for part in parts]
        return all(truths) if isinstance(node.op, ast.And) else any(truths)
    return BINARY[type(node.ops[0] if isinstance(node, ast.Compare) else node.op)](*parts)


def _called(node: ast.Call, numbers: Numbers) -> Any:
    assert isinstance(node.func, ast.Name)
    if node.func.id == "If":
        condition, then, otherwise = node.args
        return _value(then if _value(condition, numbers) else otherwise, numbers)
    parts = [_value(part, numbers) for part in node.args]
    return min(parts) if node.func.id == "min" else max(parts)


UNIT: dict[str, JSON] = {"version": 1, "minimum": 0.0, "maximum": 1.0}
WEIGHTED: dict[str, JSON] = {
    "expression": "0.7 * exact + 0.3 * rouge",
    "sources": {"exact": UNIT, "rouge": UNIT},
}
GUARDED: dict[str, JSON] = {"expression": "if(valid == 1 and length ≤ 500, rouge, 0)"}
PASSING: dict[str, JSON] = {"expression": "max(exact, rouge)", "threshold": 0.5}

CONTRACTS = {
    "formula": Contract(
        reference=formula,
        reads_json=True,
        is_alone=True,
        formula="The formula of the settings, with the scores of the row in place of the names.",
        edge_cases=(
            "In a run the numbers are the scores that its evaluators gave to the same output. Here, and in POST "
            "score/, the actual value is a JSON object of numbers by name, in which true is 1 and null is missing; "
            "anything else is an error (not_scores).",
            "An operation that lacks one of its numbers has none, and neither has the formula: the row gets the status "
            "of that score. if(condition, then, otherwise) needs only the value that its condition chooses; and, or, "
            "min and max need all of theirs.",
            "A score whose evaluator found no answer counts with its worst value, and the row does not pass "
            "(not_found).",
            "A division by zero is an error (not_a_number).",
            "× and * before + and −, then comparisons, not, and, or. Equal signs bind from the left. A truth value is "
            "1 or 0, and every number but 0 is true.",
            "length is the number of characters of the output, tokens and latency_ms are those that came with it.",
            "The versions of the evaluators are fixed when the formula is saved; saving it again takes the newest. A "
            "formula reads no other formula, and no statistic of a whole run.",
            TOO_LONG,
        ),
        golden=(
            Vector({"exact": 1, "rouge": 0.5}, None, 0.85, None, WEIGHTED, why="0.7 × 1 + 0.3 × 0.5"),
            Vector('{"exact": 0, "rouge": 0.5}', None, 0.15, None, WEIGHTED, why="0.7 × 0 + 0.3 × 0.5"),
            Vector({"exact": 1}, None, None, None, WEIGHTED, status="missing_actual", why="rouge is missing"),
            Vector({"exact": True, "rouge": None}, None, None, None, WEIGHTED, status="missing_actual"),
            Vector({"valid": 1, "length": 400, "rouge": 0.4}, None, 0.4, None, GUARDED),
            Vector(
                {"valid": 0, "length": 400},
                None,
                0.0,
                None,
                {"expression": "if(valid, rouge, 0)"},
                why="rouge is not needed",
            ),
            Vector({"exact": 0, "rouge": 0.6}, None, 0.6, True, PASSING, why="0.6 ≥ 0.5"),
            Vector({"exact": 0, "rouge": 0.4}, None, 0.4, False, PASSING),
            Vector(
                {"errors": 3, "words": 12},
                None,
                0.25,
                True,
                {"expression": "errors ÷ words", "direction": "minimize", "threshold": 0.25},
            ),
            Vector(
                {"errors": 3, "words": 0}, None, None, None, {"expression": "errors / words"}, status="error"
            ),
            Vector({"a": 5, "b": 2}, None, 1.0, None, {"expression": "a − b − 2"}, why="(5 − 2) − 2"),
            Vector({"a": 2, "b": 3}, None, -8.0, None, {"expression": "-a + b * -(a)"}, why="−2 + 3 × −2"),
            Vector({"a": 1, "b": 0}, None, 1.0, None, {"expression": "a or b and not a"}),
            Vector({"exact": "1"}, None, None, None, WEIGHTED, status="error", why="a text"),
            Vector("no JSON", None, None, None, WEIGHTED, status="error"),
            Vector(None, None, None, None, WEIGHTED, status="missing_actual"),
        ),
    ),
}
