"""Advice where examples have several reference columns: right answers side by side, or one beside other facts."""

from collections import Counter
from collections.abc import Sequence
from itertools import cycle
from typing import Any

from evaluations.ingest.answer_names import stem
from evaluations.ingest.record_columns import field_of, fields_of_call
from evaluations.mapping import calls
from evaluations.values import JSON, text_of

from .advised_lists import LONGEST, as_words, record

NAMED = 5


def answer_columns(
    columns: Sequence[str], values: Sequence[Sequence[JSON]], outputs: Sequence[JSON]
) -> list[int]:
    """The numbers of the columns with right answers; the others are something else.

    `values` has the references of every column. What outputs say most often beyond chance is right, else the first
    column, and so are those named alike.

    >>> names = ["gold", "gold_alt", "reference_source"]
    >>> answer_columns(names, [["4", "5"], ["four", "five"], ["a book", "a book"]], ["It is 4.", "5"])
    [0, 1]
    """
    said = [_said(references, outputs) for references in values]
    main = max(range(len(columns)), key=lambda column: (said[column], -column))
    stems = [stem(name) for name in columns]
    return [
        column
        for column in range(len(columns))
        if column == main or () in (stems[main], stems[column]) or stems[column] == stems[main]
    ]


def are_fields(columns: Sequence[str], outputs: Sequence[JSON]) -> bool:
    """Whether most outputs are objects that have most of the columns as fields.

    >>> are_fields(["city", "guests"], ['{"city": "Oslo", "guests": 3}', "none"] * 2 + [{"city": "Rome"}])
    True
    """
    found = [record(output) for output in outputs]
    have = sum(isinstance(one, dict) and len(one.keys() & {*columns}) * 2 >= len(columns) for one in found)
    return have * 2 > len(outputs)


def fields_by_name(columns: Sequence[str], outputs: Sequence[JSON]) -> dict[str, str]:
    """The columns that together are what most outputs are, a call or an object, by the names of its fields; else {}.

    >>> fields_by_name(["expected_tool", "expected_arguments"], ['find(city="Oslo")'])
    {'name': 'expected_tool', 'arguments': 'expected_arguments'}
    >>> fields_by_name(["expected_intent", "expected_slots"], ['{"intent": "book", "slots": {"guests": 3}}'])
    {'intent': 'expected_intent', 'slots': 'expected_slots'}
    """
    call = {**fields_of_call(columns)}
    if call and sum(bool(calls.found(text_of(output) or "")) for output in outputs) * 2 > len(outputs):
        return call
    fields = {field_of(column) or column: column for column in columns}
    return fields if len(fields) == len(columns) > 1 and are_fields([*fields], outputs) else {}


def which_count(columns: Sequence[str], counted: Sequence[str]) -> str:
    """Which columns hold right answers, as the end of a reason.

    >>> which_count(["gold", "gold_alt", "source"], ["gold", "gold_alt"])
    'any of gold and gold_alt is right, and source is not compared'
    """
    left = [name for name in columns if name not in counted]
    right = f"any of {listed(counted)} is right" if len(counted) > 1 else ""
    unread = f"{listed(left)} {'is' if len(left) == 1 else 'are'} not compared" if left else ""
    return ", and ".join(filter(None, [right, unread]))


def listed(names: Sequence[str]) -> str:
    few = [name[:80] for name in names[:NAMED]]
    if len(names) > NAMED:
        return f"{', '.join(few)} and {len(names) - NAMED} more"
    return " and ".join([*filter(None, [", ".join(few[:-1])]), few[-1]])


def _said(references: Sequence[JSON], outputs: Sequence[JSON]) -> float:
    """The outputs that say the reference of their row, less those that would say the one of any row."""
    known = [tuple(filter(str.strip, map(_words, _listed(value)))) for value in references]
    texts = [as_words((text_of(output) or "")[-LONGEST:]) for output in outputs]
    own = sum(any(one in text for one in right) for right, text in zip(cycle(known), texts, strict=False))
    chance = sum(
        rows * sum(any(one in text for one in right) for text in texts)
        for right, rows in Counter(known).items()
    )
    return own - chance / max(len(known), 1)


def _words(value: JSON) -> str:
    return as_words(text_of(value) or "")


def _listed(value: Any) -> Sequence[JSON]:
    return value if isinstance(value, list) else [value]
