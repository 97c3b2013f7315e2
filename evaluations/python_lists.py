"""Lists of texts as Python prints them, which pandas writes into CSV: "['Oslo', 'Rome']"."""

import ast

LONGEST = 20_000  # characters


def read(text: str) -> list[str | int | float] | None:
    """The members of such a list; None of any other text.

    >>> read("['Oslo', \\"Rome's\\"]"), read('["Oslo"]'), read("[Oslo]"), read("[f(x)]"), read("[['a']]")
    (['Oslo', "Rome's"], ['Oslo'], None, None, None)
    """
    bare = text.strip()
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
