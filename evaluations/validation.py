"""Converts pydantic's errors to plain sentences."""

from collections.abc import Callable
from typing import Any

SENTENCES: dict[str, Callable[[dict[str, Any]], str]] = {
    "bool_type": lambda limits: "It must be true or false.",
    "extra_forbidden": lambda limits: "This setting does not exist.",
    "finite_number": lambda limits: "It must be a finite number.",
    "float_type": lambda limits: "It must be a number.",
    "greater_than": lambda limits: f"It must be more than {limits['gt']:g}.",
    "greater_than_equal": lambda limits: f"It must be at least {limits['ge']:g}.",
    "int_type": lambda limits: "It must be a whole number.",
    "less_than_equal": lambda limits: f"It must be at most {limits['le']:.10g}.",
    "literal_error": lambda limits: f"It must be {limits['expected']}.",
    "missing": lambda limits: "It is required.",
    "model_type": lambda limits: "It must be a JSON object.",
    "too_long": lambda limits: f"It must have at most {limits['max_length']} items.",
    "too_short": lambda limits: "It must not be empty.",
    "string_too_long": lambda limits: f"It must have at most {limits['max_length']} characters.",
    "string_too_short": lambda limits: "It must not be empty.",
    "string_type": lambda limits: "It must be text.",
}


def sentence(problem: Any) -> str:
    """An item of `ValidationError.errors()` as a sentence; our own validators write sentences already.

    >>> sentence({"type": "less_than_equal", "msg": "Input should be …", "ctx": {"le": 1}})
    'It must be at most 1.'
    """
    if problem["type"] in SENTENCES:
        return SENTENCES[problem["type"]](problem.get("ctx", {}))
    return str(problem["msg"]).removeprefix("Value error, ")
