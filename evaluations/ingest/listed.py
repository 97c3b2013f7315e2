"""Cells that name several right answers with a sign between them, one of which another column has alone.

"Correct Answers": "Nothing happens; Seeds pass through" beside "Best Answer": "Nothing happens". They become lists, and
so do objects with an answer each, `[{"answer": "red", "answer_id": 1}]`.
"""

import csv
from collections.abc import Sequence
from typing import Any

from .batch import Row
from .cell_texts import text_of_cell
from .column_names import words_of
from .looked_at import ENOUGH
from .suggest import roles

SIGNS = ("; ", ";", " | ", "||", "|", "\n")
HELD = 0.95  # share of the rows in which the answers must have that of the other column
SEVERAL = 0.3  # share of the rows that must name several
COMMA = ","
# words in names of columns with several right answers
OF_SEVERAL = {"accepted", "acceptable", "aliases", "alternatives", "possible", "synonyms", "variants"}
INSIDE = "[]."  # before the name of the field of each answer, in place of a sign
FIELDS = {"answer", "text"}
BESIDE = {"answer", "confidence", "count", "end", "id", "number", "offset", "start", "votes", "worker"}


def find(rows: Sequence[Row]) -> tuple[tuple[str, str], ...]:
    """The columns of several right answers, each with the sign between them; options are none.

    >>> row = {"best answer": "b", "correct answers": "a; b", "options": "a; b; c"}
    >>> find([row] * 10)
    (('correct answers', '; '),)
    >>> find([row] * 9)
    ()
    """
    if len(rows) < ENOUGH:
        return ()
    names = [name for name, role in roles([*rows[0]]).items() if role == "reference"]
    found = {name: f"{INSIDE}{field}" for name in names if (field := _field(rows, name))}
    for name in names:
        for sign in SIGNS:
            if name not in found and any(_hold(rows, name, sign, other) for other in names if other != name):
                found[name] = sign
        if name not in found and words_of(name) & OF_SEVERAL and _are_said_apart(rows, name):
            found[name] = COMMA
    return tuple(found.items())


def _are_said_apart(rows: Sequence[Row], name: str) -> bool:
    """Whether texts with commas have parts that another column says, and hardly ever all of them: outputs."""
    parts = [[part.casefold() for part in _parts(row.get(name), COMMA)] for row in rows]
    if sum(len(one) > 1 for one in parts) < SEVERAL * len(rows):
        return False
    for other in rows[0].keys() - {name}:
        pairs = [(one, text_of_cell(row.get(other)).casefold()) for one, row in zip(parts, rows, strict=True)]
        some = sum(any(part in text for part in one) for one, text in pairs)
        every = sum(len(one) > 1 and all(part in text for part in one) for one, text in pairs)
        if some >= SEVERAL * len(rows) and every <= (1 - HELD) * len(rows):
            return True
    return False


def with_lists(row: Row, columns: Sequence[tuple[str, str]]) -> Row:
    """The row with lists in these columns; a cell in which there are no such answers stays as it is."""
    lists = {name: parts for name, sign in columns if (parts := _parts(row.get(name), sign))}
    return Row((name, lists.get(name, value)) for name, value in row.items())


def _field(rows: Sequence[Row], name: str) -> str:
    """The field with the answer in lists of objects, of which all others say who gave it or where it stands; else "".

    >>> _field([{"answers": [{"answer": "red", "answer_id": 1, "answer_confidence": "yes"}]}], "answers")
    'answer'
    >>> _field([{"answers": [{"text": "Oslo", "label": "place"}]}], "answers")
    ''
    """
    cells = [row[name] for row in rows if row.get(name) not in (None, "")]
    objects = [one for cell in cells for one in (cell if isinstance(cell, list) else [cell])]
    if not objects or not all(isinstance(cell, list) for cell in cells):
        return ""
    fields = {tuple(one) if isinstance(one, dict) else () for one in objects}
    if len(fields) != 1:
        return ""
    [names] = fields
    found = [field for field in names if field in FIELDS]
    others = [field for field in names if field not in found]
    are_beside = all(words_of(field) <= BESIDE for field in others)
    return found[0] if len(found) == 1 and others and are_beside else ""


def _hold(rows: Sequence[Row], name: str, sign: str, other: str) -> bool:
    pairs = [(_parts(row.get(name), sign), text_of_cell(row.get(other)).strip()) for row in rows]
    several = sum(len(parts) > 1 for parts, _ in pairs)
    held = sum(alone in parts for parts, alone in pairs if alone)
    return several >= SEVERAL * len(rows) and held >= HELD * len(rows)


def _parts(cell: Any, sign: str) -> list[str]:
    if sign.startswith(INSIDE):
        objects = [one for one in cell if isinstance(one, dict)] if isinstance(cell, list) else []
        return [*dict.fromkeys(text_of_cell(one.get(sign.removeprefix(INSIDE))) for one in objects)]
    text = cell if isinstance(cell, str) else ""
    if sign == COMMA:  # a part that has one is in quotes
        return [
            part.strip() for row in csv.reader([text], skipinitialspace=True) for part in row if part.strip()
        ]
    return [part.strip() for part in text.split(sign) if part.strip()]
