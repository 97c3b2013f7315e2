"""Lists and records of texts as Python prints them, which pandas writes into CSV: "['Oslo', 'Rome']"."""

import ast
from typing import Any

from evaluations.linear import Pattern

LONGEST = 20_000  # characters
NUMBERS = Pattern(r"\[ *-?\d+\.?\d*(?: +-?\d+\.?\d*)+ *\]")
ARRAY = Pattern(r"\barray\((\[[^\[\]]*\])(?:, dtype=[\w<>.]+)?\)")  # as numpy prints one


def read(text: str) -> list[str | int | float] | None:
    """The members of such a list; None of any other text.

    >>> read("['Oslo', \\"Rome's\\"]"), read('["Oslo"]'), read("[Oslo]"), read("[f(x)]"), read("[['a']]")
    (['Oslo', "Rome's"], ['Oslo'], None, None, None)
    >>> read("[ 3 10]"), read("[15]"), read("[0.5 1.]")  # as numpy prints an array
    ([3, 10], [15], [0.5, 1.0])
    """
    bare = text.strip()
    if NUMBERS.fullmatch(bare):
        bare = ", ".join(bare.split()).replace("[, ", "[").replace(", ]", "]")
    if not (bare.startswith("[") and bare.endswith("]")) or len(bare) > LONGEST:
        return None
    try:
        tree = ast.parse(bare, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    members = tree.elts if isinstance(tree, ast.List) else []
    values = [member.value for member in members if isinstance(member, ast.Constant)]
    found = [
        value for value in values if isinstance(value, str | int | float) and not isinstance(value, bool)
    ]
    return found if found and len(found) == len(members) else None


def record(text: str) -> dict[str, Any] | None:
    """The fields of such a record, its values of any kind; None of any other text.

    >>> record("{'model': 'small', 'tags': [1], 'is_new': True}"), record('{"a": 1}'), record("{f(x): 1}")
    ({'model': 'small', 'tags': [1], 'is_new': True}, {'a': 1}, None)
    >>> record("{'text': array(['oak', 'old oak'], dtype=object), 'answer_start': array([3, 5])}")
    {'text': ['oak', 'old oak'], 'answer_start': [3, 5]}
    """
    bare = text.strip()
    if not (bare.startswith("{") and bare.endswith("}")) or len(bare) > LONGEST:
        return None
    try:
        value = ast.literal_eval(ARRAY.sub(r"\1", bare))
    except (SyntaxError, ValueError, RecursionError, MemoryError, TypeError):
        return None
    return value if isinstance(value, dict) and all(isinstance(name, str) for name in value) else None
