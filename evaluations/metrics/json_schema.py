"""JSON Schema (Draft 2020-12) for values of strangers, by schemas of strangers.

Such schemas are bounded: references stay inside the schema and terminate, lists that must differ are of texts, and
patterns run on RE2. One may still take seconds on a long value, so requests apply them in a child process.
"""

import string
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from jsonschema import Draft202012Validator, SchemaError, ValidationError, validators
from referencing import Registry

from evaluations.jsonpath import from_names
from evaluations.linear import without_surrogates
from evaluations.metrics import patterns
from evaluations.values import JSON, stored_json

DRAFT = "https://json-schema.org/draft/2020-12/schema"
MOST_STEPS = 1_000  # schemas that may be applied to one value
LOCAL = "#/$defs/"
NAME = frozenset(string.ascii_letters + string.digits + "_.-")  # of a local schema
BY_NAME = (
    "properties",
    "patternProperties",
    "dependentSchemas",
)  # keywords whose values are objects that contain schemas
OF_TEXTS = ("type", "required")  # keywords whose values are lists of texts
OF_TEXTS_BY_NAME = ("dependencies", "dependentRequired")  # the same, for each name
REFUSED = {
    "$dynamicRef": "references that depend on where they are",
    "$id": "addresses",
    "$anchor": "anchors",
    "$dynamicAnchor": "anchors",
}
HINTS = {
    "type": "Write the value as this type; in CSV every cell is a text.",
    "enum": "Use one of these values, spelled exactly the same.",
    "const": "Use this value.",
    "required": "Add the missing field.",
    "uniqueItems": "Remove the repeated items.",
    "additionalProperties": "Remove the field, or allow it in the schema.",
    "pattern": "Correct the text so that it matches the pattern.",
    "minLength": "Use a longer text.",
    "maxLength": "Shorten the text.",
}
SHOWN = 120  # characters of an expectation in a message


class UnusableSchema(ValueError):
    """The schema cannot be used; the message is a sentence about "the schema"."""


@dataclass(frozen=True)
class Misfit:
    """Where a value does not fit, as a path, what was expected there, and what to do."""

    path: str
    expected: str
    hint: str


def check(schema: Any, name: str = "The schema") -> None:
    """Raise `UnusableSchema` for a schema that is none, or that could take without end; `name` begins the message."""
    if not isinstance(schema, dict):
        raise UnusableSchema(f"{name} must be an object.")
    if schema.get("$schema", DRAFT) != DRAFT:
        raise UnusableSchema(f"{name} must be of Draft 2020-12.")
    try:
        if steps(schema, name) > MOST_STEPS:
            raise UnusableSchema(f"{name} has too many parts, or refers to them too often.")
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise UnusableSchema(f"{name} is not valid: {error.message[:300]}") from error
    except RecursionError as error:
        raise UnusableSchema(f"{name} is nested too deeply.") from error


def steps(schema: dict[str, Any], name: str = "The schema") -> int:
    """The number of schemas that are applied to one value, counted to a little beyond `MOST_STEPS`.

    Raises `UnusableSchema` for what is not supported, and for lists that take long to check.
    """
    definitions = schema.get("$defs")
    of_definitions = _applied(
        name, [*definitions.values()] if isinstance(definitions, dict) else [], schema, ()
    )
    every = chain(_applied(name, schema, schema, ()), of_definitions)
    return sum(1 for _ in islice(every, MOST_STEPS + 2))


def misfits(validator: Any, value: JSON) -> Iterator[Misfit]:
    """Where a value does not fit, in the order of the schema."""
    return map(_misfit, validator.iter_errors(value))


def validator_of(schema: dict[str, Any]) -> Any:
    """A validator of a schema that passed `check`."""
    return _Validator(schema, registry=Registry())


def _applied(name: str, node: Any, root: dict[str, Any], inside: tuple[str, ...]) -> Iterator[None]:
    """Yields once for each schema applied to a value, following references; refuses forbidden keywords."""
    yield None
    if isinstance(node, list):
        for element in node:
            yield from _applied(name, element, root, inside)
    if not isinstance(node, dict):
        return
    for keyword, value in node.items():
        _check_keyword(name, keyword, node)
        if keyword in BY_NAME and isinstance(value, dict):
            yield from _applied(name, [*value.values()], root, inside)
            continue
        if keyword == "$ref":
            yield from _referred(name, value, root, inside)
        elif keyword not in ("enum", "const", "default", "examples", "$defs"):
            yield from _applied(name, value, root, inside)


def _referred(name: str, ref: Any, root: dict[str, Any], inside: tuple[str, ...]) -> Iterator[None]:
    target = f"{ref}".removeprefix(LOCAL)
    is_local = f"{ref}".startswith(LOCAL) and {*target} <= NAME
    definitions = root.get("$defs")
    if not is_local or not isinstance(definitions, dict) or target not in definitions:
        raise UnusableSchema(f"{name} can only refer to its own #/$defs/…, not to “{f'{ref}'[:80]}”.")
    if target in inside:
        raise UnusableSchema(f"{name} refers to itself without end: {target[:80]}.")
    yield from _applied(name, definitions[target], root, (*inside, target))


def _check_texts(name: str, keyword: str, value: Any) -> None:
    """Refuse lists of anything but texts, which jsonschema would compare pair by pair."""
    lists = value.values() if keyword in OF_TEXTS_BY_NAME and isinstance(value, dict) else [value]
    for texts in lists if keyword in (*OF_TEXTS, *OF_TEXTS_BY_NAME) else ():
        if isinstance(texts, list) and not all(isinstance(text, str) for text in texts):
            raise UnusableSchema(f"{name} is not valid: “{keyword}” must list texts.")


def _check_pattern(name: str, pattern: str) -> None:
    try:
        patterns.compile(pattern)
    except patterns.PatternError as error:
        raise UnusableSchema(f"{name} has a pattern that cannot be used: {error}") from error


def _check_keyword(name: str, keyword: str, node: dict[str, Any]) -> None:
    """Raise `UnusableSchema` for a keyword that is refused, or a pattern that RE2 does not know."""
    value = node[keyword]
    _check_texts(name, keyword, value)
    if keyword in REFUSED and value is not False:
        raise UnusableSchema(f"{name} uses {REFUSED[keyword]}, which is not supported.")
    if keyword == "pattern" and isinstance(value, str):
        _check_pattern(name, value)
    if keyword == "patternProperties" and isinstance(value, dict):
        _check_pattern_properties(name, node)


def _check_pattern_properties(name: str, node: dict[str, Any]) -> None:
    for pattern in node["patternProperties"]:
        _check_pattern(name, pattern)
    if "unevaluatedProperties" in node:
        # the package looks up the names that were matched by Python's `re`
        raise UnusableSchema(
            f"{name} uses patternProperties beside unevaluatedProperties, which is not supported."
        )


def _pattern(_: Any, pattern: str, instance: Any, __: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not patterns.compile(pattern).search(without_surrogates(instance)):
        yield ValidationError(f"does not match {pattern}")


def _matches(pattern: str, name: str) -> bool:
    return patterns.compile(pattern).search(without_surrogates(name)) is not None


def _pattern_properties(
    validator: Any, by_pattern: dict[str, Any], instance: Any, _: Any
) -> Iterator[ValidationError]:
    if not isinstance(instance, dict):
        return
    for pattern, schema in by_pattern.items():
        for name, value in instance.items():
            if _matches(pattern, name):
                yield from validator.descend(value, schema, path=name, schema_path=pattern)


def _additional(validator: Any, allowed: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if not isinstance(instance, dict):
        return
    known, by_pattern = schema.get("properties", {}), schema.get("patternProperties", {})
    others = [
        name
        for name in instance
        if name not in known and not any(_matches(pattern, name) for pattern in by_pattern)
    ]
    if isinstance(allowed, dict):
        for name in others:
            yield from validator.descend(instance[name], allowed, path=name)
    elif not allowed and others:
        yield ValidationError(f"has the additional field {others[0][:SHOWN]}")


def _unique(_: Any, is_wanted: Any, instance: Any, __: Any) -> Iterator[ValidationError]:
    """In time that grows with the list: the package compares each item with each."""
    if is_wanted and isinstance(instance, list):
        seen = {stored_json(_comparable(item)) for item in instance}
        if len(seen) < len(instance):
            yield ValidationError("has equal items")


def _comparable(value: Any) -> Any:
    """A value in a form whose texts are equal exactly where JSON Schema calls the values equal."""
    if isinstance(value, dict):
        return {"fields": [[name, _comparable(value[name])] for name in sorted(value)]}
    if isinstance(value, list):
        return [_comparable(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


_Validator = validators.extend(
    Draft202012Validator,
    {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional,
        "uniqueItems": _unique,
    },
)


def _misfit(error: ValidationError) -> Misfit:
    keyword, allowed = f"{error.validator}", stored_json(error.validator_value)
    expected = f"{keyword} {allowed if len(allowed) <= SHOWN else allowed[:SHOWN] + '…'}"
    if keyword == "type":
        expected += f", not {type_of(error.instance)}"
    hint = HINTS.get(keyword, "Correct the value, or change the schema.")
    return Misfit(from_names(tuple(error.absolute_path)), expected, hint)


def type_of(value: JSON) -> str:
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
