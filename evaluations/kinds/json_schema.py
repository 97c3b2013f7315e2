"""The kind `json_schema`: whether the output is JSON that fits a schema."""

import warnings
from functools import cached_property
from itertools import islice
from typing import Annotated, Any, TypeAlias

import numpy as np
from pydantic import Field, field_validator

from evaluations.kinds import explain
from evaluations.kinds.config import Config
from evaluations.kinds.kind import Family, Kind
from evaluations.kinds.pairs import Pairs
from evaluations.kinds.scores import Scores
from evaluations.metrics import json_diff
from evaluations.metrics import json_schema as schemas
from evaluations.numerals import grouped
from evaluations.values import JSON, canonical_json, stored_json, text_or_json

LONGEST = 64_000  # characters of a schema
MOST_MISFITS = 20

Schema: TypeAlias = Annotated[
    dict[str, Any],
    Field(
        title="Schema",
        description="A JSON Schema (Draft 2020-12). Examples can bring their own, by a path in the mapping.",
        examples=['{"type": "object", "required": ["city"]}'],
    ),
]

with warnings.catch_warnings():
    # pydantic's deprecated method of this name is hidden on purpose: everybody calls this setting "schema".
    warnings.simplefilter("ignore", UserWarning)

    class JsonSchemaConfig(Config):
        schema: Schema = {}  # type: ignore[assignment]

        @field_validator("schema")
        @classmethod
        def _is_usable(cls, schema: dict[str, Any]) -> dict[str, Any]:
            if len(stored_json(schema)) > LONGEST:
                raise ValueError(f"The schema has more than {grouped(LONGEST)} characters.")
            schemas.check(schema)
            return schema

        @cached_property
        def validator(self) -> Any:
            return schemas.validator_of(self.schema)

        @property
        def pass_mark(self) -> float:
            return 1.0

        def warnings(self) -> list[str]:
            return [] if self.schema else ["Without a schema, every output that is JSON passes."]


class NotValid(Exception):
    """The output is no JSON, or cannot be checked; the message says why."""


def score(config: JsonSchemaConfig, pairs: Pairs) -> Scores:
    """1.0 if the output is JSON that fits the schema, else 0.0."""
    values, errors = np.zeros(len(pairs)), {}
    for row, actual in enumerate(pairs.actual):
        try:
            values[row] = config.validator.is_valid(_value(actual))
        except NotValid:
            continue
        except json_diff.TooDeep as error:
            errors[row] = f"too_deep: The output cannot be checked: {error}"
    return Scores.scored(values, values == 1.0, errors=errors)


def _value(actual: JSON) -> JSON:
    """The JSON value of an output; a text is read as JSON."""
    if not isinstance(actual, str):
        json_diff.check_depth(actual)
        return actual
    try:
        return json_diff.parse(actual)
    except json_diff.NotJSON as error:
        raise NotValid(f"The output is not JSON: {error}") from error


def detail(config: JsonSchemaConfig, actual: JSON, expected: JSON) -> dict[str, Any]:
    shown = text_or_json(actual)
    try:
        value = _value(actual)
    except NotValid as error:
        return {"compared": explain.compared(shown), "formula": f"{error}: 0"}
    except json_diff.TooDeep as error:
        return {"note": f"too_deep: The output cannot be checked: {error}"}
    misfits = [*islice(schemas.misfits(config.validator, value), MOST_MISFITS)]
    listed = [
        {"path": misfit.path, "what": "does not fit", "actual": None, "expected": misfit.expected}
        for misfit in misfits
    ]
    compared = explain.compared(canonical_json(value), stored_json(config.schema))
    if not misfits:
        return {"compared": compared, "formula": "Fits the schema: 1"}
    count = f"{len(misfits)}{' or more' if len(misfits) == MOST_MISFITS else ''}"
    places = "place" if len(misfits) == 1 else "places"
    return {
        "compared": compared,
        "paths": listed,
        "path_count": len(listed),
        "formula": f"Does not fit in {count} {places}: 0",
    }


json_schema = Kind(
    key="json_schema",
    title="JSON schema",
    family=Family.STRUCTURE,
    summary="Valid JSON of the required form",
    description="Whether the output is JSON that fits a JSON Schema (Draft 2020-12): the fields that must be there, "
    "their types and their limits. It reads no reference. For JSON inside a fence or a sentence, add the reading "
    "step “json”.",
    source="JSON Schema, Draft 2020-12, as the package jsonschema reads it; DeepEval, Opik, Phoenix and promptfoo "
    "offer it.",
    version=1,
    Config=JsonSchemaConfig,
    score=score,
    detail=detail,
    parameters=("actual",),
    reads_text=False,
    reads_json=True,
    binary=True,
    is_heavy=True,
)
