"""Tables inside one JSON object, as files in an archive: {"small": [{…}, …], "large": [{…}, …]}.

Or beside right answers: {"gold": {"ex-1": "Paris", …}, "predictions": {"small": {"ex-1": "Rome", …}, …}}.
"""

from collections.abc import Iterator
from typing import Any

from evaluations import strict_json
from evaluations.files.text import clean_json

from . import joined
from .batch import Row
from .file_tables import Table

FEWEST = 5  # rows
DEEPEST = 3


def find(content: bytes) -> list[Table]:
    """The tables, by the names of their members, if some hold outputs of variants to the same examples; else none.

    >>> import orjson
    >>> said = {f"q{n}": "yes" for n in range(9)}
    >>> [table.path for table in find(orjson.dumps({"gold": said, "predictions": {"small": said, "large": said}}))]
    ['gold', 'predictions/small', 'predictions/large']
    >>> find(orjson.dumps({"rows": [{"id": n, "output": "x"} for n in range(9)], "date": "2026-11-30"}))
    []
    """
    try:
        value = strict_json.parse(content)
    except strict_json.JSONError:
        return []
    if not isinstance(value, dict) or _is_table(value):
        return []
    tables = [Table(path, rows) for path, rows in _tables(value, "", DEEPEST)]
    return tables if len(tables) > 1 and joined.has_variants(tables) else []


def _tables(fields: dict[str, Any], around: str, deepest: int) -> Iterator[tuple[str, list[Row]]]:
    for name, value in fields.items():
        if rows := _rows(value):
            yield f"{around}{name}", [clean_json(row) for row in rows]
        elif isinstance(value, dict) and deepest > 1:
            yield from _tables(value, f"{around}{name}/", deepest - 1)


def _rows(value: Any) -> list[Row]:
    """The rows of a list of objects, or of an object with a row or an answer under each name; none of anything else."""
    if isinstance(value, list):
        are_rows = len(value) >= FEWEST and all(isinstance(one, dict) and one for one in value)
        return value if are_rows else []
    if not isinstance(value, dict) or not _is_table(value):
        return []
    return [
        {"id": name} | (one if isinstance(one, dict) else {"prediction": one}) for name, one in value.items()
    ]


def _is_table(fields: dict[str, Any]) -> bool:
    """Whether an object has plain values under all its names, some of them texts, or objects with the same fields.

    Measures of a run are numbers under names, too.
    """
    values = [*fields.values()]
    if len(values) < FEWEST:
        return False
    are_plain = not any(isinstance(value, dict | list) for value in values)
    are_plain &= any(isinstance(value, str) for value in values)
    are_alike = all(
        isinstance(value, dict) and value and value.keys() == values[0].keys() for value in values
    )
    return are_plain or are_alike
