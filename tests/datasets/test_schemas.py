"""Schemas of columns: mismatches with their locations, and forbidden schemas."""

import time

import pytest

from evaluations.children import Pool, TooSlow
from evaluations.datasets import datasets, schema_of, schemas
from evaluations.datasets.schemas import Checker, checked, suggested
from evaluations.errors import Invalid, TooLarge
from evaluations.metrics import json_schema


def mismatch(schema, value):
    return Checker(checked({"inputs": {"cell": schema}})).mismatch({"inputs": {"cell": value}})


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string"}, "a"),
        ({"type": ["string", "null"]}, None),
        ({"type": "string", "pattern": "^[A-E]$"}, "B"),
        ({"enum": [1, "a"]}, 1),
        ({"$defs": {"name": {"type": "string"}}, "type": "array", "items": {"$ref": "#/$defs/name"}}, ["a"]),
        ({"properties": {"enum": {"type": "string"}, "uniqueItems": {"type": "string"}}}, {"enum": "a"}),
    ],
)
def test_a_value_that_fits_is_no_mismatch(schema, value):
    assert mismatch(schema, value) is None


@pytest.mark.parametrize(
    ("schema", "value", "path", "expected"),
    [
        ({"type": "string"}, None, "$", 'type "string", not null'),
        ({"type": "integer"}, True, "$", 'type "integer", not boolean'),
        ({"pattern": "^[A-E]$"}, "F", "$", 'pattern "^[A-E]$"'),
        ({"items": {"type": "string"}}, ["a", 1], "$[1]", 'type "string", not integer'),
        ({"properties": {"a": {"minLength": 2}}}, {"a": "x"}, "$.a", "minLength 2"),
    ],
)
def test_a_mismatch_names_the_path_and_what_was_expected(schema, value, path, expected):
    problem = mismatch(schema, value)

    assert (problem.column, problem.path, problem.expected) == ("cell", path, expected)
    assert problem.hint


def test_every_mismatch_is_named():
    columns = {"a": {"type": "string"}, "b": {"items": {"type": "integer"}}, "c": {"type": "string"}}
    checker = Checker(checked({"inputs": columns, "reference": {"d": {"enum": ["x"]}}}))

    problem = checker.mismatch(
        {"inputs": {"a": 1, "b": [1, "two", None], "c": "fits"}, "reference": {"d": "y"}}
    )

    assert [(problem.column, problem.path)] + [
        (mismatch["column"], mismatch["path"]) for mismatch in problem.where["others"]
    ] == [
        ("a", "$"),
        ("b", "$[1]"),
        ("b", "$[2]"),
        ("d", "$"),
    ]
    assert all(mismatch in problem.reason for mismatch in ("“a”", "$[1]", "$[2]", "“d”"))


def test_an_example_names_a_bounded_number_of_mismatches():
    checker = Checker(checked({"inputs": {"cell": {"items": {"type": "string"}}}}))

    problem = checker.mismatch({"inputs": {"cell": [*range(1_000)]}})

    assert len(problem.where["others"]) == 9


def test_a_column_that_an_example_lacks_is_null():
    checker = Checker(checked({"reference": {"answer": {"type": "string"}}}))

    assert checker.mismatch({"inputs": {}, "reference": {}}).expected == 'type "string", not null'


@pytest.mark.parametrize(
    ("value", "path", "expected"),
    [
        ({"a": "x", "b": 1}, "$.b", 'type "string", not integer'),
        ({"b": "x"}, "$", 'required ["a"]'),
        ("plain", "$", 'required ["a"]'),
    ],
)
def test_a_schema_can_be_of_a_whole_part(value, path, expected):
    whole = {"required": ["a"], "additionalProperties": {"type": "string"}}
    checker = Checker(checked({"inputs": {"$": whole}}))

    problem = checker.mismatch({"inputs": value})

    assert (problem.column, problem.path, problem.expected) == ("inputs", path, expected)
    assert checker.mismatch({"inputs": {"a": "x"}}) is None


@pytest.mark.parametrize(
    "schema",
    [
        "string",
        {"type": "text"},
        {"$schema": "http://json-schema.org/draft-07/schema#"},
        {"$ref": "https://example.com/schema.json"},
        {"$ref": "#"},
        {"$ref": "#/$defs/missing"},
        {"$defs": {"a": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"},
        {"properties": {"enum": {"$ref": "https://example.com/"}}},
        {"pattern": "(?=a)"},
        {"patternProperties": {"(?=a)": {}}},
        {"patternProperties": {"a": {}}, "unevaluatedProperties": False},
        {"$id": "https://example.com/"},
        {"$defs": {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)} | {"d40": {}},
         "$ref": "#/$defs/d0"},
    ],
)  # fmt: skip
def test_a_schema_that_is_wrong_or_could_hang_is_refused(schema):
    with pytest.raises(Invalid) as refused:
        checked({"inputs": {"cell": schema}})

    assert refused.value.code == "invalid_schema"


@pytest.mark.parametrize(
    "schemas", [[], {"outputs": {}}, {"inputs": []}, {"inputs": {"a": {"const": "x" * 70_000}}}]
)
def test_a_schema_of_another_shape_or_size_is_refused(schemas):
    with pytest.raises(Invalid):
        checked(schemas)


def test_a_schema_is_suggested_by_the_types_of_the_values():
    rows = [
        {"inputs": {"a": "x", "n": 1}, "reference": "yes", "metadata": {}},
        {"inputs": {"a": None, "n": 1.5}, "reference": "no", "metadata": {"ok": True}},
    ]

    assert suggested(rows) == {
        "inputs": {"a": {"type": ["null", "string"]}, "n": {"type": "number"}},
        "reference": {"reference": {"type": "string"}},
        "metadata": {"ok": {"type": ["boolean", "null"]}},
    }


# ---- time --------------------------------------------------------------------------------------------------

UNORDERED = [{"a": number} for number in range(5_000)]  # jsonschema compares each with each


@pytest.mark.parametrize(
    "schema",
    [
        {"type": UNORDERED},
        {"items": {"anyOf": [{"type": UNORDERED}]}},
        {"dependencies": {"a": UNORDERED}},
        {"$defs": {"unused": {"type": UNORDERED}}},
        {"$defs": {f"d{number}": {} for number in range(4_000)}},
    ],
)
def test_a_schema_that_would_take_long_to_check_is_refused_at_once(schema):
    began = time.thread_time()

    with pytest.raises(json_schema.UnusableSchema):
        json_schema.check(schema)

    assert time.thread_time() - began < 0.5


SLOW = {"inputs": {"q": {"items": {"anyOf": [{"const": number} for number in range(400)]}}}}
LISTS = [{"inputs": {"q": [*range(2_000)]}}] * 3


@pytest.fixture
def apart(monkeypatch) -> list[object]:
    """What was done in a child."""
    run, functions = Pool.run, list[object]()

    def note(pool, seconds, function, *args):
        functions.append(function)
        return run(pool, seconds, function, *args)

    monkeypatch.setattr(Pool, "run", note)
    return functions


@pytest.mark.processes
def test_long_examples_are_checked_in_a_child_with_the_same_answer(apart):
    with pytest.raises(Invalid) as refused:
        schemas.require(SLOW, LISTS)

    (expected,) = schemas._misfits(SLOW, LISTS, 1)
    assert refused.value.where == {"example": 1} | expected[1].where
    assert len(apart) == 1


def test_short_examples_are_checked_here(apart):
    schemas.require({"inputs": {"q": {"type": "string"}}}, [{"inputs": {"q": "why"}}] * 100)

    assert not apart


@pytest.mark.django_db
def test_a_schema_that_takes_too_long_can_still_be_looked_at(project, monkeypatch):
    """Otherwise nobody could remove it."""

    def fail(*_: object) -> None:
        raise TooSlow()

    dataset = datasets.create(project, None, "lists", LISTS)
    schema_of.store(dataset, SLOW)
    monkeypatch.setattr(Pool, "run", fail)

    fit = schema_of.fit(dataset)

    assert (fit.looked_at, fit.misfits) == (0, 0)
    assert "takes too much time" in fit.first
    with pytest.raises(TooLarge):
        datasets.append(dataset, None, LISTS)
