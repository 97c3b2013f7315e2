"""Columns of what is right that are named as the fields of the objects that outputs are: an output
'{"customer": "Ada", "total": 12}' beside the columns customer and total, or gold_customer and gold_total."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from evaluations.fences import content_of
from evaluations.values import opened_json

from .cell_texts import said_in, text_of_cell
from .known_names import REFERENCES
from .looked_at import AGREEMENT, ENOUGH, Columns, mean
from .record_columns import field_of
from .suggest import plain

FEWEST = 2  # fields that have a column
MOST = 0.5  # of the objects, those that must have a field, and of the fields, those that must have a column


def gold_fields(file: Columns) -> None:
    """Each column of a field is right for it, unless a column has the whole right objects."""
    objects = {name: found for name in file.of("output", "metadata") if (found := _objects(file, name))}
    fields = {name: _fields(found) for name, found in objects.items()}
    if not objects or any(plain(name) in REFERENCES for name in file.columns):
        return
    by_field: dict[str, str] = {}
    for name in file.columns:
        field = field_of(name) or plain(name)
        if name not in objects and (field not in by_field or field_of(name)):
            by_field[field] = name
    answers = {
        name: found for name, found in fields.items() if _are_right(file, objects[name], found, by_field)
    }
    if not answers or (len(file.of("output")) and not {*answers} & {*file.of("output")}):
        return
    for name in file.of("reference"):
        file.guess(name, "metadata", "the columns of its fields say what is right")
    file.of_fields = {by_field[name] for found in answers.values() for name in found if name in by_field}
    for name in file.of_fields:
        file.guess(name, "reference", "the outputs have a field of its name")
    for name in answers.keys() - {*file.of("output")}:
        file.guess(name, "output", "it has the fields of which other columns say what is right")


def _objects(file: Columns, name: str) -> list[Mapping[str, Any]]:
    """What each of the first cells is, {} for none; nothing if most are no objects."""
    found = [_object(text) for text in file.cells(name)]
    return found if len(found) >= ENOUGH and sum(map(bool, found)) > MOST * len(found) else []


def _object(text: str) -> Mapping[str, Any]:
    """An object as JSON, also in a fence or behind a sentence.

    >>> _object('Here it is: {"Total": 3}'), _object("none")
    ({'total': 3}, {})
    """
    if "{" not in text:
        return {}
    content = content_of(text) or text
    value = opened_json(content[content.find("{") : content.rfind("}") + 1])
    return {plain(name): one for name, one in value.items()} if isinstance(value, dict) else {}


def _fields(objects: Collection[Mapping[str, Any]]) -> list[str]:
    having = Counter(name for one in objects for name in one)
    return [name for name, count in having.items() if count > MOST * sum(map(bool, objects))]


def _are_right(
    file: Columns, objects: list[Mapping[str, Any]], fields: list[str], by_field: Mapping[str, str]
) -> bool:
    """Whether most fields have a column that says the same in some rows, and some have one that does not in all.

    A column that all outputs repeat was asked.
    """
    known = [name for name in fields if name in by_field]
    if len(known) < FEWEST or len(known) < MOST * len(fields):
        return False
    shares = [_share(file, by_field[name], [one.get(name) for one in objects]) for name in known]
    return mean(shares) >= AGREEMENT and sum(share >= AGREEMENT for share in shares) >= FEWEST


def _share(file: Columns, column: str, given: list[Any]) -> float:
    """The share of the rows in which a field says what the column says, among those in which it says something."""
    pairs = zip(file.said(column), [said_in(text_of_cell(one)) for one in given], strict=False)
    return mean(right == said for right, said in pairs if right)
