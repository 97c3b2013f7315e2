"""The OpenAPI schema describes the API correctly: valid, without warnings, and readable for Swagger."""

import inspect
import re

import jsonschema
import pytest
import yaml
from django.core.management import call_command
from drf_spectacular.generators import SchemaGenerator

from evaluations.api import document
from evaluations.api.views.base import Listing, Noun, Restores, Single, View
from evaluations.api.views.datasets import OfDataset
from evaluations.models import Scope
from tests.pages import compact

from .conftest import program


@pytest.fixture(scope="module")
def schema() -> dict:
    return SchemaGenerator().get_schema(request=None, public=True)


@pytest.mark.long
def test_the_schema_is_valid_and_without_a_warning(tmp_path):
    call_command("spectacular", "--fail-on-warn", "--validate", "--file", str(tmp_path / "schema.yaml"))


def test_the_schema_is_openapi_3_1(schema):
    assert schema["openapi"].startswith("3.1.")


def test_any_value_may_be_null(schema):
    actual = schema["components"]["schemas"]["Vector"]["properties"]["actual"]

    for value in (None, "Paris", {"a": [1]}):
        jsonschema.validate(value, actual)


def test_operations_describe_themselves_and_not_the_base_of_their_view(schema):
    bases = {
        inspect.cleandoc(base.__doc__)
        for base in (View, Single, Noun, Listing, Restores, OfDataset)
        if base.__doc__
    }

    assert not bases & {operation.get("description") for operation in operations(schema)}


def operations(schema: dict) -> list[dict]:
    return [operation for path in schema["paths"].values() for operation in path.values()]


def test_operations_have_names_of_their_own(schema):
    names = [operation["operationId"] for operation in operations(schema)]

    assert len(set(names)) == len(names)


def test_every_operation_says_how_it_refuses(schema):
    for operation in operations(schema):
        refusals = {code for code in operation["responses"] if code[0] in "45"}
        assert refusals >= {"400", "401", "403", "404", "429", "503"}
        assert all(
            operation["responses"][code] == {"$ref": f"#/components/responses/Refused{code}"}
            for code in refusals
        )


def test_every_refusal_has_the_one_form(schema):
    for refusal in schema["components"]["responses"].values():
        content = refusal["content"]["application/json"]
        assert content["schema"] == {"$ref": "#/components/schemas/Error"}


def test_edits_may_name_the_state_they_saw(schema):
    for path, methods in schema["paths"].items():
        if "patch" in methods:
            names = {parameter["name"] for parameter in methods["patch"].get("parameters", ())}
            assert ("If-Match" in names) == ("412" in methods["patch"]["responses"]), path


def test_every_operation_needs_the_key(schema):
    assert all(operation["security"] == [{"key": []}] for operation in operations(schema))


def test_lists_describe_pages_and_their_parameters(schema):
    listing = schema["paths"]["/api/v1/datasets/"]["get"]

    names = {parameter["name"] for parameter in listing["parameters"]}
    reference = listing["responses"]["200"]["content"]["application/json"]["schema"]["$ref"]
    page = schema["components"]["schemas"][reference.rsplit("/", 1)[1]]
    assert names == {"cursor", "name", "page_size", "status"}
    assert set(page["required"]) == {"next", "previous", "results"}


@pytest.mark.parametrize(
    "path", ["/api/v1/runs/{id}/results/", "/api/v1/datasets/{id}/examples/", "/api/v1/runs/"]
)
def test_every_list_is_described_as_a_page(schema, path):
    reference = schema["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"][
        "$ref"
    ]

    assert reference.startswith("#/components/schemas/Paginated")


def test_creating_describes_its_idempotency_key(schema):
    parameters = schema["paths"]["/api/v1/runs/"]["post"]["parameters"]

    assert [parameter["name"] for parameter in parameters] == ["Idempotency-Key"]


def test_the_states_of_a_run_are_listed(schema):
    states = [
        set(component["enum"])
        for component in schema["components"]["schemas"].values()
        if "enum" in component
    ]

    assert {"draft", "generating", "queued", "running", "completed", "failed", "cancelled"} in states


@pytest.mark.long
def test_a_key_may_read_the_schema(reader, nobody):
    response = reader.get("/api/schema/", Accept="*/*")

    assert response.status_code == 200
    assert yaml.safe_load(response.content)["info"]["title"] == "Evalsite API"
    assert nobody.get("/api/schema/").status_code == 401


def test_the_schema_is_built_and_written_once(reader, monkeypatch):
    first = reader.get("/api/schema/", Accept="*/*")
    monkeypatch.setattr(document, "built", lambda: pytest.fail("built again"))

    again = reader.get("/api/schema/", Accept="*/*")
    unchanged = reader.get("/api/schema/", Accept="*/*", **{"If-None-Match": first.headers["ETag"]})

    assert again.content == first.content
    assert (unchanged.status_code, unchanged.content) == (304, b"")


def test_each_form_of_the_schema_has_its_type_and_tag(reader):
    forms = [reader.get("/api/schema/", Accept=f"application/{kind}") for kind in ("yaml", "json")]

    assert [form.headers["Content-Type"].partition(";")[0] for form in forms] == [
        "application/yaml",
        "application/json",
    ]
    assert yaml.safe_load(forms[0].content) == forms[1].json()
    assert forms[0].headers["ETag"] != forms[1].headers["ETag"]


def test_people_read_the_documentation_when_they_signed_in(client, alice):
    response = client.get("/api/docs/")
    client.force_login(alice)

    assert (response.status_code, response.url.split("?")[0]) == (302, "/signin/")
    page = compact(client.get("/api/docs/").content.decode())
    assert 'id="runs_create"><a href="#runs_create">' in page
    assert "export EVALSITE_URL=http://testserver EVALSITE_KEY" in page
    assert "<script>" not in page
    assert "<style>" not in page
    assert "<code>next</code>" in page
    assert "`" not in page


def test_the_reference_begins_with_what_most_programs_use_and_finds_calls_by_a_field(client, alice):
    client.force_login(alice)
    page = client.get("/api/docs/").content.decode()
    found = client.get("/api/docs/?q=idempotency_nothing").content.decode()
    calls = client.get("/api/docs/?q=baseline gates").content.decode()

    assert page.index('id="tag-datasets"') < page.index('id="tag-runs"') < page.index('id="tag-audit"')
    assert "Try fewer words" in found
    assert "/api/v1/gates/" in calls
    assert 'id="tag-datasets"' not in calls


def test_no_id_of_the_reference_stands_twice(client, alice):
    client.force_login(alice)
    page = client.get("/api/docs/").content.decode()
    ids = [part.partition('"')[0] for part in page.split(' id="')[1:]]

    assert sorted(ids) == sorted(set(ids))


def test_unknown_fields_are_described_as_refused(schema):
    assert schema["components"]["schemas"]["NewDatasetRequest"]["additionalProperties"] is False


def test_a_call_that_takes_no_body_refuses_one(schema, project):
    admin = program(project, Scope.ADMIN)
    bodiless = [
        path
        for path, methods in schema["paths"].items()
        if "post" in methods and "requestBody" not in methods["post"]
    ]

    codes = {
        path: admin.post(re.sub(r"\{\w+\}", "1", path), {"now": True}).json()["error"]["code"]
        for path in bodiless
    }

    assert "/api/v1/launches/{id}/cancel/" in codes
    assert codes == dict.fromkeys(bodiless, "unknown_field")
