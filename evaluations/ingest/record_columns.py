"""Reference columns that together are one record: expected_tool and expected_arguments, expected_intent and _slots."""

from collections.abc import Mapping, Sequence

from .answer_names import stem
from .column_names import parts_of
from .role_words import REFERENCE_WORDS

TOOL = {"tool", "function", "name", "call", "api", "action", "tool_name", "function_name", "tool_call"}
ARGUMENTS = {"arguments", "argument", "args", "arg", "parameters", "parameter", "params", "param", "kwargs"}
ARGUMENTS |= {f"{kind}_{word}" for kind in ("tool", "function", "call") for word in ARGUMENTS}


def field_of(column: str) -> str:
    """The name of a column without the word for what is right before or behind it; "" without such a word.

    >>> field_of("expected_intent"), field_of("Slots (gold)"), field_of("intent")
    ('intent', 'slots', '')
    """
    parts = [part for part in parts_of(column) if part]
    rest = [part for part in parts if part not in REFERENCE_WORDS]
    return "_".join(rest) if rest and len(rest) < len(parts) else ""


def fields_of_call(columns: Sequence[str]) -> Mapping[str, str]:
    """The columns of a call's name and of its arguments, by these; {} if they are anything else.

    >>> fields_of_call(["expected_arguments", "expected_tool"])
    {'name': 'expected_tool', 'arguments': 'expected_arguments'}
    """
    fields = {column: field_of(column) for column in columns}
    tools = [column for column, field in fields.items() if field in TOOL]
    arguments = [column for column, field in fields.items() if field in ARGUMENTS]
    if len(tools) != 1 or len(arguments) != 1:
        return {}
    return {"name": tools[0], "arguments": arguments[0]}


def are_named_alike(column: str, other: str) -> bool:
    """Whether two names have the same word for what is right: "expected_intent" and "expected_slots"."""
    words = [{*parts_of(one)} & REFERENCE_WORDS for one in (column, other)]
    return bool(words[0]) and words[0] == words[1] and stem(column) != stem(other)
