"""The schema of a dataset by the API."""

import pytest

from evaluations.imports import imports
from evaluations.models import Import
from tests import factories

pytestmark = pytest.mark.django_db
SCHEMA = {"reference": {"answer": {"type": "string", "enum": ["Paris", "Rome", "Oslo"]}}}


@pytest.fixture
def dataset(project):
    return factories.dataset(project)


def test_a_schema_is_set_read_and_removed(writer, dataset):
    address = f"datasets/{dataset.pk}/schema/"

    assert writer.post(address, {"schema": SCHEMA}).json()["schema"] == SCHEMA
    assert writer.get(address).json() == {"schema": SCHEMA, "looked_at": 3, "misfits": 0, "first": ""}
    assert writer.post(address, {"schema": {}}).json()["schema"] == {}


def test_a_schema_is_suggested(writer, dataset):
    answer = writer.get(f"datasets/{dataset.pk}/schema/?suggested=true").json()

    assert answer["schema"]["reference"] == {"answer": {"type": "string"}}


def test_rows_and_examples_that_do_not_fit_are_named(writer, dataset):
    writer.post(f"datasets/{dataset.pk}/schema/", {"schema": SCHEMA})

    example = {"reference": {"answer": "Bern"}}
    refused = writer.post(f"datasets/{dataset.pk}/examples/", {"examples": [example]})
    file = b"key,question,answer\nk9,q9,Bern\n"
    started = writer.upload(f"datasets/{dataset.pk}/upload/", file, "weekly.csv", mode="merge").json()
    imports.run_import(Import.objects.get().pk)

    ended = writer.get(f"datasets/{dataset.pk}/imports/{started['import']}/").json()
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "schema_mismatch")
    assert (ended["status"], ended["errors"][0]["where"]["line"]) == ("failed", 2)


FILE = b"key,question,answer\nk1,q1,Rome\nk2,q2,Bern\n"


def test_a_schema_comes_with_the_first_file(writer, project):
    response = writer.upload("datasets/", FILE, name="Towns", schema=SCHEMA, on_error="skip")
    imports.run_import(Import.objects.get().pk)

    dataset = writer.get(f"datasets/{response.json()['id']}/").json()
    assert (dataset["status"], dataset["example_count"], dataset["error_counts"]) == (
        "ready",
        1,
        {"schema_mismatch": 1},
    )
    assert writer.get(f"datasets/{dataset['id']}/schema/").json()["schema"] == SCHEMA


def test_a_schema_comes_with_the_first_rows_of_several_variants(writer, project):
    rows = b"question,answer,system,text\nq1,Rome,v1,a\nq1,Rome,v2,b\nq2,Bern,v1,c\nq2,Bern,v2,d\n"
    mapping = {"inputs": ["question"], "reference": ["answer"], "variant": "system", "output": "text"}

    response = writer.upload("datasets/", rows, name="Towns", mapping=mapping, schema=SCHEMA, on_error="skip")
    imports.run_import(Import.objects.get().pk)

    dataset = writer.get(f"datasets/{response.json()['id']}/").json()
    assert (dataset["example_count"], dataset["error_counts"]) == (1, {"schema_mismatch": 2})


def test_a_schema_comes_with_the_first_examples(writer, project):
    body = {"name": "Towns", "schema": SCHEMA, "examples": [{"reference": {"answer": "Bern"}}]}

    refused = writer.post("datasets/", body)
    created = writer.create("datasets/", body | {"examples": [{"reference": {"answer": "Rome"}}]})

    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "schema_mismatch")
    assert writer.get(f"datasets/{created['id']}/schema/").json()["schema"] == SCHEMA


@pytest.mark.parametrize(
    ("schema", "code"),
    [("{", "invalid_json"), ("[]", "object_expected"), ('{"outputs": {}}', "invalid_schema")],
)
def test_a_file_with_a_schema_that_cannot_be_used_is_not_kept(writer, project, schema, code):
    response = writer.upload("datasets/", FILE, name="Towns", schema=schema)

    assert (response.status_code, response.json()["error"]["code"]) == (400, code)
    assert not Import.objects.exists()
