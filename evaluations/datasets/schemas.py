"""A JSON Schema (Draft 2020-12) for each column of a dataset, checked wherever examples arrive.

The schema under `WHOLE` applies to a whole part, the object of its columns. `metrics/json_schema.py` bounds them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any

from evaluations import in_children
from evaluations.errors import Invalid
from evaluations.metrics import derived_schema, json_schema
from evaluations.numerals import grouped
from evaluations.values import JSON, PARTS, by_column, stored_json

WHOLE = "$"
LONGEST = 64_000  # characters of all schemas together
SHORT = 4_000  # characters of schemas that are checked in the request itself
QUICK = 50_000  # schemas times characters of examples that are
MOST_MISMATCHES = 10  # mismatches of one example that are counted
Schemas = dict[str, dict[str, Any]]  # by part and column


@dataclass(frozen=True)
class Mismatch:
    """Where an example first does not fit, what was expected there, and what else does not fit."""

    column: str
    path: str
    expected: str
    hint: str
    further_mismatches: tuple["Mismatch", ...] = ()

    @property
    def reason(self) -> str:
        location = f" at {self.path}" if self.path != "$" else ""
        sentence = f"“{self.column[:80]}”{location} does not fit its schema: {self.expected}"
        return "; ".join([sentence, *(mismatch.reason for mismatch in self.further_mismatches)])

    @property
    def where(self) -> dict[str, Any]:
        location = {"column": self.column[:80], "path": self.path, "expected": self.expected}
        return location | (
            {"others": [mismatch.where for mismatch in self.further_mismatches]}
            if self.further_mismatches
            else {}
        )


class Checker:
    """Applies the schemas of a dataset to its examples."""

    def __init__(self, schemas: Schemas) -> None:
        self.schemas = schemas

    @cached_property
    def _validators(self) -> list[tuple[str, str, Any]]:
        return [
            (part, column, json_schema.validator_of(schema))
            for part, columns in self.schemas.items()
            for column, schema in columns.items()
        ]

    def mismatch(self, parts: Mapping[str, JSON]) -> Mismatch | None:
        """The mismatch of an example, over at most `MOST_PLACES`; None if it fits. A missing column counts as null."""
        mismatches = [*islice(self._mismatches(parts), MOST_MISMATCHES)]
        return replace(mismatches[0], further_mismatches=tuple(mismatches[1:])) if mismatches else None

    def _mismatches(self, parts: Mapping[str, JSON]) -> Iterator[Mismatch]:
        for part, column, validator in self._validators:
            cells = by_column(part, parts.get(part) or {})
            value = cells if column == WHOLE else cells.get(column)
            for misfit in json_schema.misfits(validator, value):
                name = part if column == WHOLE else column
                yield Mismatch(name, misfit.path, misfit.expected, misfit.hint)


def require(schemas: Schemas, examples: Sequence[Mapping[str, JSON]]) -> None:
    """Raise `Invalid` for the first example that does not fit, and `TooLarge` if that takes too long to tell."""
    for number, mismatch in misfits(schemas, examples, most=1):
        raise Invalid(
            "schema_mismatch",
            f"Example {number}: {mismatch.reason}.",
            hint=mismatch.hint,
            where={"example": number} | mismatch.where,
        )


def misfits(
    schemas: Schemas, examples: Sequence[Mapping[str, JSON]], most: int | None = None
) -> list[tuple[int, Mismatch]]:
    """The first `most` examples that do not fit, by number; in a child process unless that is quickly told.

    Raises `TooLarge` if it takes too long, and `TooManyRequests` if no child is free.
    """
    if not schemas or not examples:
        return []
    if _is_quick(schemas, examples):
        return _misfits(schemas, examples, most)
    hint = "Send fewer examples at once, a simpler schema, or a file, which a worker reads."
    return in_children.call(
        "Checking the schema", hint, in_children.SECONDS, _misfits, schemas, examples, most
    )


def _is_quick(schemas: Schemas, examples: Sequence[Mapping[str, JSON]]) -> bool:
    steps = sum(json_schema.steps(schema) for columns in schemas.values() for schema in columns.values())
    characters = 0
    for example in examples:
        characters += sum(len(stored_json(example.get(part))) for part in schemas)
        if characters * steps > QUICK:
            return False
    return True


def _misfits(
    schemas: Schemas, examples: Sequence[Mapping[str, JSON]], most: int | None
) -> list[tuple[int, Mismatch]]:
    checker = Checker(schemas)
    found = (
        (number, mismatch)
        for number, example in enumerate(examples, 1)
        if (mismatch := checker.mismatch(example))
    )
    return [*islice(found, most)]


def checked(sent_schemas: Any) -> Schemas:
    """Validate schemas, {"inputs": {column: schema}, …}; raises `Invalid` for one that cannot be used."""
    if not isinstance(sent_schemas, dict) or set(sent_schemas) - {*PARTS}:
        raise _invalid(
            "A schema must be an object with inputs, reference and metadata, each "
            "{column: JSON Schema}, or {“$”: one of"
            " the whole part}."
        )
    length = len(stored_json(sent_schemas))
    if length > LONGEST:
        raise _invalid(f"The schemas have more than {grouped(LONGEST)} characters.")
    if length < SHORT:
        problem = _problem(sent_schemas)
    else:
        hint = "Send a simpler schema."
        problem = in_children.call("Reading the schema", hint, in_children.SECONDS, _problem, sent_schemas)
    if problem:
        raise _invalid(problem)
    return {part: columns for part, columns in sent_schemas.items() if columns}


def _problem(sent_schemas: dict[str, Any]) -> str:
    """Why the schemas cannot be used; "" if they can."""
    for part, columns in sent_schemas.items():
        if not isinstance(columns, dict):
            return f"“{part}” must be an object: {{column: JSON Schema}}."
        for column, schema in columns.items():
            try:
                json_schema.check(schema, f"The schema of “{column[:80]}”")
            except json_schema.UnusableSchema as problem:
                return str(problem)
    return ""


def suggested(examples: Sequence[Mapping[str, JSON]]) -> Schemas:
    """The types that the columns of these examples have."""
    kinds: dict[str, dict[str, set[str]]] = {part: {} for part in PARTS}
    names = [
        (part, name) for example in examples for part in PARTS for name in by_column(part, example[part])
    ]
    for part, name in dict.fromkeys(names):
        cells = (by_column(part, example[part]).get(name) for example in examples)
        kinds[part][name] = {json_schema.type_of(cell) for cell in cells}
    return {
        part: {name: derived_schema.types(words) for name, words in columns.items()}
        for part, columns in kinds.items()
        if columns
    }


def _invalid(message: str) -> Invalid:
    return Invalid("invalid_schema", message, fields={"schema": [message]})
