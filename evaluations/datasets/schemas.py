"""A JSON Schema (Draft 2020-12) for each column of a dataset, checked wherever examples arrive.

The schema under `WHOLE` applies to a whole part, the object of its columns.

Schemas are untrusted, so they are bounded: references stay inside the schema and terminate, and patterns run on RE2.
"""

import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator, SchemaError, ValidationError, validators
from referencing import Registry

from evaluations.errors import Invalid
from evaluations.jsonpath import from_names
from evaluations.linear import without_surrogates
from evaluations.metrics import patterns
from evaluations.numerals import grouped
from evaluations.values import JSON, PARTS, by_column, stored_json

DRAFT = "https://json-schema.org/draft/2020-12/schema"
WHOLE = "$"
# characters of all schemas together; schemas that may be applied to one value
LONGEST, MOST_STEPS = 64_000, 1_000
LOCAL = "#/$defs/"
NAME = frozenset(string.ascii_letters + string.digits + "_.-")  # of a local schema
BY_NAME = ("properties", "dependentSchemas")  # keywords whose values are objects that contain schemas
REFUSED = {
    "$dynamicRef": "references that depend on where they are",
    "$id": "addresses",
    "$anchor": "anchors",
    "$dynamicAnchor": "anchors",
    "patternProperties": "patternProperties",
    "uniqueItems": "uniqueItems",
}
HINTS = {
    "type": "Write the value as this type; in CSV every cell is a text.",
    "enum": "Use one of these values, spelled exactly the same.",
    "const": "Use this value.",
    "required": "Add the missing field.",
    "additionalProperties": "Remove the field, or allow it in the schema.",
    "pattern": "Correct the text so that it matches the pattern.",
    "minLength": "Use a longer text.",
    "maxLength": "Shorten the text.",
}
SHOWN = 120  # characters of an expectation in a message
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
            (part, column, _Validator(schema, registry=Registry()))
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
            for error in validator.iter_errors(cells if column == WHOLE else cells.get(column)):
                yield _described(part if column == WHOLE else column, error)

    def require(self, examples: Sequence[Mapping[str, JSON]]) -> None:
        """Raise `Invalid` for the first example that does not fit."""
        for number, example in enumerate(examples, 1):
            if mismatch := self.mismatch(example):
                raise Invalid(
                    "schema_mismatch",
                    f"Example {number}: {mismatch.reason}.",
                    hint=mismatch.hint,
                    where={"example": number} | mismatch.where,
                )


def checked(sent_schemas: Any) -> Schemas:
    """Validate schemas, {"inputs": {column: schema}, …}; raises `Invalid` for one that cannot be used."""
    if not isinstance(sent_schemas, dict) or set(sent_schemas) - {*PARTS}:
        raise _invalid(
            "A schema must be an object with inputs, reference and metadata, each "
            "{column: JSON Schema}, or {“$”: one of"
            " the whole part}."
        )
    if len(stored_json(sent_schemas)) > LONGEST:
        raise _invalid(f"The schemas have more than {grouped(LONGEST)} characters.")
    for part, columns in sent_schemas.items():
        if not isinstance(columns, dict):
            raise _invalid(f"“{part}” must be an object: {{column: JSON Schema}}.")
        for column, schema in columns.items():
            _check(column[:80], schema)
    return {part: columns for part, columns in sent_schemas.items() if columns}


def _check(column: str, schema: Any) -> None:
    if not isinstance(schema, dict):
        raise _invalid(f"The schema of “{column}” must be an object.")
    if schema.get("$schema", DRAFT) != DRAFT:
        raise _invalid(f"The schema of “{column}” must be of Draft 2020-12.")
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise _invalid(f"The schema of “{column}” is not valid: {error.message[:300]}") from error
    except RecursionError as error:
        raise _invalid(f"The schema of “{column}” is nested too deeply.") from error
    for steps, _ in enumerate(_applied(column, schema, schema, ())):
        if steps > MOST_STEPS:
            raise _invalid(f"The schema of “{column}” refers to its parts too often.")


def _applied(column: str, node: Any, root: dict[str, Any], inside: tuple[str, ...]) -> Iterator[None]:
    """Yields once for each schema applied to a value, following references; raises `Invalid` for forbidden keywords."""
    yield None
    if isinstance(node, list):
        for element in node:
            yield from _applied(column, element, root, inside)
    if not isinstance(node, dict):
        return
    for keyword, value in node.items():
        if keyword in BY_NAME and isinstance(value, dict):
            yield from _applied(column, [*value.values()], root, inside)
            continue
        if keyword in REFUSED and value is not False:
            raise _invalid(f"The schema of “{column}” uses {REFUSED[keyword]}, which is not supported.")
        if keyword == "pattern" and isinstance(value, str):
            _check_pattern(column, value)
        if keyword == "$ref":
            yield from _referred(column, value, root, inside)
        elif keyword not in ("enum", "const", "default", "examples", "$defs"):
            yield from _applied(column, value, root, inside)


def _referred(column: str, ref: Any, root: dict[str, Any], inside: tuple[str, ...]) -> Iterator[None]:
    name = f"{ref}".removeprefix(LOCAL)
    is_local = f"{ref}".startswith(LOCAL) and {*name} <= NAME
    if not is_local or name not in root.get("$defs", {}):
        raise _invalid(
            f"The schema of “{column}” can only refer to its own #/$defs/…, not to “{f'{ref}'[:80]}”."
        )
    if name in inside:
        raise _invalid(f"The schema of “{column}” refers to itself without end: {name[:80]}.")
    yield from _applied(column, root["$defs"][name], root, (*inside, name))


def _check_pattern(column: str, pattern: str) -> None:
    try:
        patterns.compile(pattern)
    except patterns.PatternError as error:
        raise _invalid(f"The pattern of “{column}” cannot be used: {error}") from error


def _pattern(_: Any, pattern: str, instance: Any, __: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not patterns.compile(pattern).search(without_surrogates(instance)):
        yield ValidationError(f"does not match {pattern}")


_Validator = validators.extend(Draft202012Validator, {"pattern": _pattern})


def _described(column: str, error: ValidationError) -> Mismatch:
    keyword, allowed = f"{error.validator}", stored_json(error.validator_value)
    expected = f"{keyword} {allowed if len(allowed) <= SHOWN else allowed[:SHOWN] + '…'}"
    if keyword == "type":
        expected += f", not {_kind(error.instance)}"
    hint = HINTS.get(keyword, "Correct the value, or change the schema.")
    return Mismatch(column, from_names(tuple(error.absolute_path)), expected, hint)


def _kind(value: JSON) -> str:
    """The JSON Schema type of a value."""
    kinds = (
        (bool, "boolean"),
        (int, "integer"),
        (float, "number"),
        (str, "string"),
        (list, "array"),
        (dict, "object"),
    )
    return next((word for kind, word in kinds if isinstance(value, kind)), "null")


def suggested(examples: Sequence[Mapping[str, JSON]]) -> Schemas:
    """The types that the columns of these examples have."""
    kinds: dict[str, dict[str, set[str]]] = {part: {} for part in PARTS}
    names = [
        (part, name) for example in examples for part in PARTS for name in by_column(part, example[part])
    ]
    for part, name in dict.fromkeys(names):
        cells = (by_column(part, example[part]).get(name) for example in examples)
        kinds[part][name] = {_kind(cell) for cell in cells}
    return {
        part: {name: _of_kinds(words) for name, words in columns.items()}
        for part, columns in kinds.items()
        if columns
    }


def _of_kinds(words: set[str]) -> dict[str, Any]:
    if "number" in words:
        words = words - {"integer"}
    return {"type": min(words) if len(words) == 1 else sorted(words)}


def _invalid(message: str) -> Invalid:
    return Invalid("invalid_schema", message, fields={"schema": [message]})
