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
