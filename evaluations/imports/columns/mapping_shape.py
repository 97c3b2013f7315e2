"""The JSON Schema of a mapping of columns, as the API publishes it, and the check of sent mappings."""

from typing import Any

from jsonschema import Draft202012Validator

from evaluations.ingest.measures import KINDS
from evaluations.kinds.value import LONGEST_LABELS
from evaluations.values import LARGEST_ID, MOST_EVALUATORS

from .column_names import invalid

COLUMN = {"type": "string", "pattern": r"\S"}
BY_NAME = {"type": "object", "additionalProperties": COLUMN, "propertyNames": COLUMN}
PART = {
    "description": "a list of columns and paths, or an object with a name for each",
    "oneOf": [COLUMN, {"type": "array", "items": COLUMN}, BY_NAME, {"type": "null"}],
}
OF_VARIANTS = {"type": "object", "additionalProperties": COLUMN}
OF_RATERS = [{"type": "string"}, {"type": "array", "items": COLUMN, "minItems": 1}]
ONE_SOURCE = {"description": "the name of a column, or a path", "type": ["string", "null"], "pattern": r"\S"}
SHAPE: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "inputs": PART,
        "reference": PART,
        "metadata": PART,
        "key": ONE_SOURCE,
        "outputs": {
            "description": "an object from variant names to a column or a path",
            "type": ["object", "null"],
            "additionalProperties": {"type": "string"},
        },
        "variant": ONE_SOURCE,
        "output": ONE_SOURCE,
        "rater": ONE_SOURCE,
        "label": ONE_SOURCE,
        "scores": {
            "description": "an object from names to a column or path, or to an object from variants to them; several "
            "columns are those of several raters",
            "type": ["object", "null"],
            "additionalProperties": {
                "oneOf": [*OF_RATERS, {"type": "object", "additionalProperties": {"oneOf": OF_RATERS}}]
            },
        },
        "measures": {
            "description": f"an object from {', '.join(KINDS)} to a column or path, or to an object from "
            "variants to them",
            "type": ["object", "null"],
            "additionalProperties": False,
            "properties": {kind: {"oneOf": [COLUMN, OF_VARIANTS]} for kind in KINDS},
        },
        "lower_is_better": {
            "description": "a list of names of scores",
            "type": ["array", "null"],
            "items": {"type": "string"},
        },
        "labels": {
            "description": "an object from names of scores to the number of each label, such as "
            '"good = 1, bad = 0"',
            "type": ["object", "null"],
            "additionalProperties": {"type": "string", "maxLength": LONGEST_LABELS},
        },
        "evaluators": {
            "description": f"a list of at most {MOST_EVALUATORS} ids of evaluators, which score the outputs of the "
            "file",
            "type": ["array", "null"],
            "maxItems": MOST_EVALUATORS,
            "items": {"type": "integer", "minimum": 1, "maximum": LARGEST_ID},
        },
    },
}
_VALIDATOR = Draft202012Validator(SHAPE)


def check(mapping: dict[str, Any]) -> None:
    """Raise `Invalid` for an unknown name, or for the first part of the wrong shape."""
    parts: dict[str, dict[str, Any]] = SHAPE["properties"]
    if unknown := set(mapping) - set(parts):
        raise invalid(f"A mapping has no “{min(unknown)}”; it has {', '.join(sorted(parts))}.", "")
    error = next(_VALIDATOR.iter_errors(mapping), None)
    if error is not None:
        part = str(error.absolute_path[0])
        raise invalid(f"“{part}” must be {parts[part]['description']}.", part)
