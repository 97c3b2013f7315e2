"""Advice where fields of records are right in another writing: "12.50" for 12.5, a time of 2024-03-05 for the day."""

from collections import Counter
from collections.abc import Sequence
from itertools import cycle
from typing import Any

from evaluations import linear
from evaluations.mapping.step import NotFound
from evaluations.mapping.steps import Json
from evaluations.values import JSON

from .json_fields import (
    ABSENT,
    FieldResult,
    JsonFieldsConfig,
    JsonFieldsConfig2,
    Rule,
    Unread,
    compared,
)

SOME = 0.03  # share of outputs in which a field must be right by a rule alone
MOST_FIELDS = 100  # of a record
LONGEST = 20_000  # characters of an output
NUMBER = linear.Pattern(r"\s*[-+−]?\d[\d.,' ]*\s*")  # and nothing else
INDEX = linear.Pattern(r"\[\d+\]")
ZERO_AND_ONE = {0.0, 1.0}
SHARES: dict[str, JSON] = {"rule": "number", "tolerance": 0.4999}  # an even chance says neither
RULES = (Rule(rule="number"), Rule(rule="date"), Rule(rule="boolean"))


def rules_for(
    references: Sequence[JSON], outputs: Sequence[JSON], config: dict[str, JSON]
) -> dict[str, JSON]:
    """Rules by path, for fields that outputs often write as another number or date than the reference beside them.

    >>> rules_for(['{"total": 12.5, "id": 7}'], ['{"total": "12.50", "id": 8}'], {})
    {'$.total': {'rule': 'number'}}
    >>> rules_for([{"remote": "True"}, {"remote": "no"}], ['{"remote": true}', '{"remote": false}'], {})
    {'$.remote': {'rule': 'boolean'}}
    """
    if rules := _of_shares(references, outputs):
        return rules
    settings = JsonFieldsConfig2.model_validate(config)
    found = Counter[tuple[str, str]]()
    for output, reference in zip(outputs, cycle(references), strict=False):
        found.update({*_rescued(settings, output, reference)})
    chosen: dict[str, JSON] = {}
    for (path, rule), count in found.most_common():
        if count > SOME * len(outputs):
            chosen.setdefault(path, {"rule": rule})
    return chosen


def _of_shares(references: Sequence[JSON], outputs: Sequence[JSON]) -> dict[str, JSON]:
    """Rules for labels, 0 or 1, of which outputs say how likely each is: right if nearer to it than to the other one.

    >>> _of_shares(['{"toxic": "1"}'], ['{"toxic": "0.91"}'])
    {'$.toxic': {'rule': 'number', 'tolerance': 0.4999}}
    >>> _of_shares(['{"toxic": "1"}'], ['{"toxic": "0"}']), _of_shares(['{"total": 1}'], ['{"total": 7.5}'])
    ({}, {})
    """
    config = JsonFieldsConfig2()
    fields = [
        field
        for output, known in zip(outputs, cycle(references), strict=False)
        for field in _fields(config, output, known)
        if ABSENT not in field[2:]
    ]
    said = [_number(actual) for _, _, actual, _ in fields]
    are_shares = bool(said) and all(number is not None and 0 <= number <= 1 for number in said)
    if not are_shares or {*said} <= ZERO_AND_ONE or {_number(known) for *_, known in fields} - ZERO_AND_ONE:
        return {}
    return {path: {**SHARES} for path, *_ in fields[:MOST_FIELDS]}


def are_shares(rules: dict[str, JSON]) -> bool:
    """Whether these are rules for labels of which outputs say how likely each is."""
    return all(rule == SHARES for rule in rules.values())


def _number(value: JSON) -> float | None:
    """A value that is a number from 0 to 1, or the text of one."""
    try:
        return None if isinstance(value, bool | dict | list) else float(str(value))
    except ValueError:
        return None


def members_are_added(references: Sequence[JSON], outputs: Sequence[JSON]) -> bool:
    """Whether outputs have members of lists that the reference has not: these are wrong, too, and no field of it.

    >>> members_are_added(['{"drugs": ["a"]}'], ['{"drugs": ["b", "a"]}'])
    True
    >>> members_are_added(['{"drugs": ["a"]}', '{"drugs": []}'], ['{"drugs": ["b"]}', '{"drug": "a"}'])
    False
    """
    config = JsonFieldsConfig2(lists="best")
    added = sum(
        any(
            expected is ABSENT and INDEX.search(path)
            for path, _, _, expected in _fields(config, output, known)
        )
        for output, known in zip(outputs, cycle(references), strict=False)
    )
    return added > SOME * len(outputs)


def _fields(config: JsonFieldsConfig, output: JSON, reference: JSON) -> Sequence[FieldResult]:
    """The fields of an output and a reference; none where one cannot be read."""
    try:
        given = Json(step="json").read(output) if isinstance(output, str) else output
        return [*compared(config, given, reference)] if len(str(output)) <= LONGEST else []
    except (NotFound, Unread):
        return []


def _rescued(config: JsonFieldsConfig2, output: JSON, reference: JSON) -> list[tuple[str, str]]:
    """The path and the rule of each field of an output that is wrong, and right by a rule."""
    return [
        (INDEX.sub("[*]", path), str(rule.rule))
        for path, is_right, actual, expected in _fields(config, output, reference)
        if not is_right and ABSENT not in (actual, expected)
        for rule in RULES
        if _may_be(rule, expected) and rule.holds(actual, expected)
    ][:MOST_FIELDS]


def _may_be(rule: Rule, expected: Any) -> bool:
    """Whether a value is a number and nothing else, or one that may be a date or a boolean."""
    if rule.rule == "date":
        return isinstance(expected, str)
    if rule.rule == "boolean":
        return isinstance(expected, str | bool)
    is_number = isinstance(expected, int | float) and not isinstance(expected, bool)
    return is_number or (isinstance(expected, str) and NUMBER.fullmatch(expected) is not None)
