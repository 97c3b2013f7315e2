"""Fields that several models read out of a text, each in a column, become one object for each model, and what is right.

`company`, `total`, `donut_company`, `donut_total`, `gpt4o_company`, `gpt4o_total` become `expected`, `donut`, `gpt4o`.
So do `gold_company`, `gold_total` beside them, and then beside a single model as well.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from evaluations.linear import Pattern
from evaluations.values import JSON

from .batch import Row
from .cell_texts import text_of_cell
from .looked_at import AGREEMENT, mean
from .role_words import INPUT_WORDS, RIGHT_FIELDS
from .suggest import plain

FEWEST, MOST = 2, 30  # fields, and models
ROW = "output"  # the object of fields that are called as they are, in rows of one model each
NAMES = ("expected", "reference", "right answer")  # the first that no column has is that of the right object
AROUND = " ._-:()[]"  # of a word in a name
_SEPARATORS = Pattern(r"[ _.-]")
Columns = tuple[tuple[str, str], ...]  # fields, each with its column


class Grid(NamedTuple):
    """The column of the right object, and the columns of its fields, then those of each model.

    Where all right fields are `unsaid`, such as -1, nothing is known to be right.
    """

    expected: str
    right: Columns
    models: tuple[tuple[str, Columns], ...]
    unsaid: str = ""

    @property
    def columns(self) -> set[str]:
        """The columns in whose place the objects stand."""
        return {column for _, found in (("", self.right), *self.models) for _, column in found}


def find(rows: Sequence[Row]) -> Grid | None:
    """The grid of a file: at least two fields of at least two models, each beside a column with the right value.

    >>> row = {"text": "t", "city": "Oslo", "year": "9", "a_city": "Oslo", "a_year": "9"}
    >>> find([row | {"b_city": "Rom", "b_year": "9"}] * 9).models
    (('a', (('city', 'a_city'), ('year', 'a_year'))), ('b', (('city', 'b_city'), ('year', 'b_year'))))
    >>> find([{"text": "t", "city": "Oslo", "a_city": "Oslo", "b_city": "Rom"}] * 9)
    """
    columns = [*dict.fromkeys(name for row in rows for name in row)]
    named = _named_as_right(columns)
    rights = named or {name: name for name in columns if plain(name) not in INPUT_WORDS}
    by_field = {field: found for field in rights if (found := _models(field, columns, {*named.values()}))}
    models = set.intersection(*map(set, by_field.values())) if by_field else set[str]()
    agreed = [
        field
        for field in by_field
        if _agree(rows, rights[field], [by_field[field][model] for model in models])
    ]
    fewest = 1 if named else FEWEST
    if (
        not fewest <= len(models) <= MOST
        or not FEWEST <= len(agreed) <= MOST
        or len(agreed) < max(len(by_field), len(named))
    ):
        return None
    ordered = sorted(models, key=lambda model: columns.index(by_field[agreed[0]][model]))
    of_models = tuple(
        (model, tuple((field, by_field[field][model]) for field in agreed)) for model in ordered
    )
    expected = next(name for name in (*NAMES, *map(str, range(len(columns) + 1))) if name not in columns)
    return Grid(expected, tuple((field, rights[field]) for field in agreed), of_models)


def _named_as_right(columns: Sequence[str]) -> dict[str, str]:
    """The columns that a word before or behind a field says to be right, by field: "gold_total", "Total (expected)".

    >>> _named_as_right(["gold_total", "total_gold", "a_total", "gold", "date-expected"])
    {'total': 'gold_total', 'date': 'date-expected'}
    """
    found: dict[str, str] = {}
    for name in columns:
        parts = [part for part in _SEPARATORS.split(name) if part]
        cuts = [(parts[:n], parts[n:]) for n in (1, 2)] + [(parts[-n:], parts[:-n]) for n in (1, 2)]
        for words, field in cuts:
            if field and "_".join(words).casefold().strip(AROUND) in RIGHT_FIELDS:
                found.setdefault(_as_written(name, field), name)
    return found


def _as_written(name: str, field: Sequence[str]) -> str:
    """The part of a name from the first to the last word of a field."""
    return name[name.index(field[0]) : name.rindex(field[-1]) + len(field[-1])]


def _models(field: str, columns: Sequence[str], rights: Collection[str]) -> dict[str, str]:
    """The columns, but for right ones, named after a field with something before or behind, by what that is.

    Beside a right one, the column called as the field is that of the row's model.
    """
    found: dict[str, str] = {}
    for name in columns:
        if name in rights:
            continue
        before, behind = name.removesuffix(field), name.removeprefix(field)
        if name.strip(AROUND) == field and rights and ROW not in columns:
            found[ROW] = name
        elif name != before and _SEPARATORS.fullmatch(before[-1:]) and len(before) > 1:
            found[before[:-1]] = name
        elif name != behind and _SEPARATORS.fullmatch(behind[:1]) and len(behind) > 1:
            found[behind.strip(AROUND)] = name
    return found if len(found) >= (1 if rights else FEWEST) else {}


def _agree(rows: Sequence[Row], field: str, columns: Sequence[str]) -> bool:
    """Whether columns have the value of the field in their row, in enough rows, and more than one value."""
    right = [text_of_cell(row.get(field)).casefold() for row in rows]
    if len({*right}) < FEWEST and len(rows) > FEWEST * 5:
        return False
    said = [[text_of_cell(row.get(name)).casefold() for row in rows] for name in columns]
    return any(
        mean(bool(value) and value == other for value, other in zip(right, one, strict=True)) >= AGREEMENT
        for one in said
    )


def with_objects(row: Row, grid: Grid) -> tuple[Row, dict[str, str]]:
    """The row with objects in place of the columns of their fields, and the columns of outputs by variant."""
    replaced = grid.columns
    right = _object(row, grid.right)
    if grid.unsaid and all(text_of_cell(row.get(column)) == grid.unsaid for _, column in grid.right):
        right = None
    made = {grid.expected: right} | {model: _object(row, found) for model, found in grid.models}
    return {name: value for name, value in row.items() if name not in replaced} | made, {
        model: model for model, _ in grid.models
    }


def _object(row: Row, columns: Columns) -> JSON:
    """The fields that have a value; None if none has."""
    found = {field: row[column] for field, column in columns if row.get(column) not in (None, "")}
    return found or None
