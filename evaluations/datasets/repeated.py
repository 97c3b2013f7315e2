"""Detects examples that repeat the contents of an earlier one, whatever their keys."""

from collections.abc import Sequence
from typing import Any

from evaluations import numerals
from evaluations.errors import Conflict
from evaluations.models.upload import DatasetImport
from evaluations.values import PARTS, stored_json

from . import contents

Duplicates = DatasetImport.Duplicates
FIRST = 10


def settled(
    examples: list[dict[str, Any]], duplicates: str
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The examples to store, and warnings. If duplicates are to fail, raises `Conflict` for the first one."""
    again = repeated_indices(examples)
    if again and duplicates == Duplicates.FAIL:
        number = again[0] + 1
        message = f"Example {number} has the same contents as an earlier one."
        raise Conflict("duplicate_example", message, where={"example": number})
    is_skipped = duplicates == Duplicates.SKIP
    stays = (
        [example for index, example in enumerate(examples) if index not in {*again}]
        if is_skipped
        else examples
    )
    return stays, warnings(len(again), is_skipped, [index + 1 for index in again[:FIRST]])


def repeated_indices(examples: Sequence[dict[str, Any]]) -> list[int]:
    """The indices of examples that repeat the contents of an earlier one."""
    earlier, again = set[bytes](), []
    for index, example in enumerate(examples):
        [digest] = contents.digests({part: [stored_json(example[part])] for part in PARTS})
        if digest in earlier:
            again.append(index)
        earlier.add(digest)
    return again


def warnings(count: int, is_skipped: bool, lines: Sequence[int]) -> list[dict[str, Any]]:
    """
    >>> [each["message"] for each in warnings(1, True, [3])]
    ['1 example has the same contents as an earlier one and is left out.']
    >>> warnings(0, False, [])
    []
    """
    if not count:
        return []
    has, verb = ("has", "is") if count == 1 else ("have", "are")
    end = f" and {verb} left out" if is_skipped else ""
    message = f"{numerals.plural(count, 'example')} {has} the same contents as an earlier one{end}."
    return [{"code": "duplicate_examples", "message": message, "count": count, "first_lines": [*lines]}]
