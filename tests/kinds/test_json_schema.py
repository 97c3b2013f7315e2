"""The kind `json_schema`, against the package jsonschema on difficult values."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from evaluations import kinds
from evaluations.evaluators.recipe import Recipe
from evaluations.kinds import Column, ConfigError
from evaluations.mapping import Contexts

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([0.0, 1.0, 1.5, -2.0, 1e300, 2**53, 10**30])
    | st.sampled_from(["", "a", "é", "e\u0301", "😀", "2026-01-01", "12"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab$"), inner, max_size=3),
    max_leaves=8,
)
WORDS = st.sampled_from(["null", "boolean", "integer", "number", "string", "array", "object"])
LEAVES = st.one_of(
    st.fixed_dictionaries({"type": WORDS | st.lists(WORDS, min_size=1, max_size=3, unique=True)}),
    st.fixed_dictionaries({"const": VALUES}),
    st.fixed_dictionaries({"enum": st.lists(VALUES, min_size=1, max_size=3)}),
    st.fixed_dictionaries({"minimum": st.integers(-2, 2)}),
    st.fixed_dictionaries({"multipleOf": st.sampled_from([1, 2, 0.5, 0.1])}),
    st.fixed_dictionaries({"minLength": st.integers(0, 2), "maxLength": st.integers(1, 3)}),
    st.fixed_dictionaries({"pattern": st.sampled_from(["^a", "[0-9]+$", "é"])}),
    st.fixed_dictionaries({"required": st.lists(st.sampled_from("ab$"), max_size=2, unique=True)}),
    st.fixed_dictionaries({"uniqueItems": st.booleans()}),
    st.fixed_dictionaries({"minItems": st.integers(0, 2), "maxItems": st.integers(1, 2)}),
)
SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.fixed_dictionaries(
            {
                "properties": st.dictionaries(st.sampled_from("ab$"), inner, max_size=2),
                "additionalProperties": inner | st.booleans(),
            }
        ),
        st.fixed_dictionaries(
            {
                "patternProperties": st.dictionaries(
                    st.sampled_from(["^a", "[b$]", "^$"]), inner, max_size=2
                ),
                "additionalProperties": inner | st.booleans(),
            }
        ),
        st.fixed_dictionaries({"items": inner, "prefixItems": st.lists(inner, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"contains": inner, "maxContains": st.integers(1, 2)}),
        st.fixed_dictionaries({"not": inner}),
        st.builds(
            lambda word, several: {word: several},
            st.sampled_from(["anyOf", "oneOf", "allOf"]),
            st.lists(inner, min_size=1, max_size=3),
        ),
        st.fixed_dictionaries({"if": inner, "then": inner, "else": inner}),
        st.builds(lambda part: {"$defs": {"part": part}, "$ref": "#/$defs/part"}, inner),
    ),
    max_leaves=6,
)
KIND = kinds.get("json_schema")


@pytest.mark.long
@settings(max_examples=400)
@given(schema=SCHEMAS, value=VALUES)
def test_it_agrees_with_jsonschema(schema, value):
    try:
        config = KIND.parse({"schema": schema})
    except ConfigError:  # a reference inside of a part
        assert "$ref" in json.dumps(schema)
        return

    scores = KIND.evaluate(config, {"actual": Column([value, json.dumps(value)])})

    right = float(Draft202012Validator(schema).is_valid(value))
    assert scores.values[1] == right
    assert value is None or isinstance(value, str) or scores.values[0] == right  # a text is read as JSON


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "number or so"},
        {"$ref": "http://example.org/schema"},
        {"$defs": {"a": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"},
        {"pattern": "(?=a)"},
        {"patternProperties": {"(?=a)": {}}},
        {"$schema": "http://json-schema.org/draft-07/schema#"},
    ],
)
def test_a_schema_that_cannot_be_used_is_refused_when_it_is_saved(schema):
    with pytest.raises(ConfigError) as refused:
        KIND.parse({"schema": schema})

    assert refused.value.problems[0][0] == "/schema"


def test_the_explanation_names_the_places_that_do_not_fit(explain):
    schema = {"type": "object", "required": ["b"], "properties": {"a": {"type": "integer"}}}

    detail = explain("json_schema", '{"a": "x"}', None, schema=schema)

    assert [(part["path"], part["expected"]) for part in detail["paths"]] == [
        ("$", 'required ["b"]'),
        ("$.a", 'type "integer", not string'),
    ]


def test_examples_can_bring_their_own_schemas():
    recipe = Recipe.compile("json_schema", {}, {"schema": {"path": "$.reference.form"}})
    rows = [
        {"output": "[1]", "reference": {"form": {"type": "array"}}},
        {"output": "[1]", "reference": {"form": {"type": "object"}}},
        {"output": "[1]", "reference": {"form": {"type": "thing"}}},
    ]

    scores = recipe.scores(Contexts.of_rows(rows))

    assert scores.values.tolist()[:2] == [1.0, 0.0]
    assert scores.messages[2].startswith("invalid_config: ")
