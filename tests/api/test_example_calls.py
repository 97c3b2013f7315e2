"""Each call of the API reference has a line for a shell with what the call requires."""

import json
import shlex

import pytest

from evaluations.api import document, reference

OPERATIONS = [operation for members in reference.operations().values() for operation in members]


def resolved(node: dict, schema: dict) -> dict:
    return schema["components"]["schemas"][node["$ref"].rsplit("/", 1)[-1]] if "$ref" in node else node


def test_every_call_has_a_line_that_a_shell_understands():
    for operation in OPERATIONS:
        words = shlex.split(operation.example)

        assert words[0] == "curl"
        [address] = [word for word in words if word.startswith("$EVALSITE_URL/api/v1/")]
        assert "{" not in address  # curl would read braces as a list
        assert "Authorization: Bearer $EVALSITE_KEY" in words
        stated = (
            words[words.index("-X") + 1] if "-X" in words else "POST" if {"-d", "-F"} & {*words} else "GET"
        )
        assert stated == operation.method


def test_a_line_has_all_fields_that_the_body_requires():
    schema, checked = document.built(), 0
    for operation in OPERATIONS:
        body = schema["paths"][operation.path][operation.method.lower()].get("requestBody", {})
        words = shlex.split(operation.example)
        if "-d" in words:
            sent = json.loads(words[words.index("-d") + 1])
            required = resolved(body["content"]["application/json"]["schema"], schema).get("required", ())
            assert {*required} <= {*sent}, operation.path
            checked += 1

    assert checked > 50


@pytest.mark.parametrize(
    ("id", "example"),
    [
        ("runs_list", '"$EVALSITE_URL/api/v1/runs/"'),
        ("datasets_upload_create", "-F file=@answers.csv"),
        ("comparisons_get", "?runs=RUNS"),
        ("projects_current_retention_update", '{"delete_runs_after_days": null}'),
    ],
)
def test_a_line_is_ready_but_for_its_own_values(id, example):
    [found] = [operation.example for operation in OPERATIONS if operation.id == id]

    assert example in found
