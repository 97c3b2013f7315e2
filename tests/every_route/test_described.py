"""Answers are as the OpenAPI schema describes them."""

import re
from typing import Any

import jsonschema
import pytest
from drf_spectacular.generators import SchemaGenerator

from evaluations.models import Scope
from tests.api.conftest import program
from tests.authorization.calls import API, filled, routes

FILES = {
    "api-run-export",
    "api-experiment-export",
    "api-dataset-export",
    "api-dataset-refused",
    "api-dataset-import-refused",
    "api-audit-export",
    "api-comparison-export",
    "api-comparison-report",
    "api-gate-junit",
    "api-gate-markdown",
    "api-prompt-export",
    "api-prompt-code",
    "api-labeltask-next",  # 204 while no item is held
    "api-schema",
}


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    return SchemaGenerator().get_schema(request=None, public=True)


@pytest.mark.parametrize("route", [route for route, method in API if method == "GET" and route not in FILES])
def test_answers_are_as_described(schema, project, alice, ids, route):
    template = re.sub(
        r"<\w+:(\w+)>",
        lambda parameter: {"pk": "{id}"}.get(parameter[1], f"{{{parameter[1]}}}"),
        routes()[route][0],
    )
    described = schema["paths"][f"/{template}"]["get"]["responses"]["200"]["content"]["application/json"][
        "schema"
    ]

    answer = program(project, Scope.ADMIN, alice).get(filled(API[route, "GET"][0], ids)).json()

    jsonschema.validate(answer, described | {"components": schema["components"]})
