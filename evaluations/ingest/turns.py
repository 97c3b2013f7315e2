"""Conversations of questions and answers in lists side by side, as CoQA has them, as a row for each turn.

{"id": "s1", "story": "…", "questions": [{"input_text": "Who?", "turn_id": 1}], "answers": [{"input_text": "Ada", …}]}
"""

from collections.abc import Mapping, Sequence
from typing import Any

from .batch import Row
from .suggest import sure_roles

FEWEST = 2  # lists side by side, and turns of some row


def arranged(rows: list[Row]) -> list[Row]:
    """A row for each turn, if the rows have their questions and answers in lists; others as they are.

    >>> asked = [{"input_text": "Who?", "turn_id": 1}, {"input_text": "When?", "turn_id": 2}]
    >>> said = [{"input_text": "Ada", "turn_id": 1}, {"input_text": "1843", "turn_id": 2}]
    >>> arranged([{"id": "s1", "story": "…", "questions": asked, "answers": said}])[1]
    {'id': 's1', 'story': '…', 'question': 'When?', 'turn_id': 2, 'answer': '1843'}
    """
    spread = [_with_further_answers(row) for row in rows]
    lists = _lists(spread)
    names = [name for name in spread[0] if name not in lists] if rows else []
    is_asked = "inputs" in sure_roles(_singular(name) for name in lists).values()
    if len(lists) < FEWEST or not is_asked or "output" in sure_roles(names).values():
        return rows
    return [row for one in spread for row in _turns(one, lists)]


def _lists(rows: Sequence[Row]) -> list[str]:
    """The columns whose cells are lists of objects, in each row as many as in the others."""
    if not rows or max(len(_objects(cell)) for row in rows for cell in row.values()) < FEWEST:
        return []
    names = [name for name in rows[0] if all(_objects(row.get(name)) for row in rows)]
    are_even = all(len({len(_objects(row[name])) for name in names}) == 1 for row in rows)
    return names if are_even else []


def _with_further_answers(row: Row) -> Row:
    """The row with {"additional_answers": {"0": […], …}}, what others answered, in lists named like the first."""
    spread = Row()
    for name, cell in row.items():
        parts = cell.values() if isinstance(cell, dict) else ()
        first = next((other for other in row if other != name and name.endswith(other)), "")
        if first and parts and all(map(_objects, parts)):
            spread |= {f"{_singular(first)}_{place}": part for place, part in enumerate(parts, 2)}
        else:
            spread[name] = cell
    return spread


def _objects(cell: Any) -> list[Mapping[str, Any]]:
    are_objects = isinstance(cell, list) and all(isinstance(one, dict) for one in cell)
    return cell if are_objects else []


def _turns(row: Row, lists: Sequence[str]) -> list[Row]:
    around = {name: value for name, value in row.items() if name not in lists}
    turns = list[Row]()
    for parts in zip(*(_objects(row[name]) for name in lists), strict=True):
        turn = Row(around)
        for name, part in zip(lists, parts, strict=True):
            for field, value in part.items():
                said_by = [other[field] for other in parts if field in other]
                if len(said_by) > 1 and any(other != value for other in said_by):
                    turn[_singular(name)] = value
                elif len(said_by) > 1 and field not in around:
                    turn[field] = value
                else:
                    turn[f"{_singular(name)} {field}"] = value
        turns.append(turn)
    return turns


def _singular(name: str) -> str:
    return name.removesuffix("s")
