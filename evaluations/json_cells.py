"""Table cells of columns marked as JSON (suffix `:json`), so that values keep their type.

A text that is not valid JSON is written without quotes: `Lima` is a text, `5` a number, `"5"` a text.
"""

from . import strict_json
from .values import JSON, PARTS, stored_json

SUFFIX = ":json"


def unmarked_name(column: str) -> str:
    """The name without the suffix, which only columns named with their part (`inputs.…`) can have.

    >>> unmarked_name("inputs.n:json"), unmarked_name("inputs.n"), unmarked_name("n:json")
    ('inputs.n', 'inputs.n', 'n:json')
    """
    part, _, name = column.partition(".")
    is_marked = part in PARTS and name.endswith(SUFFIX) and name != SUFFIX
    return column.removesuffix(SUFFIX) if is_marked else column


def cell_of(value: JSON) -> str | None:
    """
    >>> cell_of("Lima"), cell_of("5"), cell_of(5), cell_of(""), cell_of(None)
    ('Lima', '"5"', '5', '""', None)
    """
    if value is None or (isinstance(value, str) and value and value_of(value) is value):
        return value
    return stored_json(value)


def value_of(cell: str) -> JSON:
    """
    >>> value_of("Lima"), value_of('"5"'), value_of("5"), value_of("007"), value_of("NaN")
    ('Lima', '5', 5, '007', 'NaN')
    """
    try:
        return strict_json.parse(cell.encode())
    except strict_json.JSONError:
        return cell
