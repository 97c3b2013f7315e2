"""The schema of a dataset, on its page and by the API."""

import pytest

from evaluations.imports import imports
from evaluations.models import Dataset, Import
from evaluations.web.page_tools.texts import pretty
from tests import factories
from tests.pages import markup

pytestmark = pytest.mark.django_db
SCHEMA = '{"reference": {"answer": {"type": "string", "maxLength": 4}}}'


@pytest.fixture
def dataset(project):
    return factories.dataset(project)


@pytest.fixture
def alices(as_user, alice):
    return as_user(alice)


def test_a_schema_is_saved_and_held_against_the_examples(alices, dataset):
    address = f"/datasets/{dataset.pk}/schema/"

    answer = alices.post(address, {"schema": SCHEMA})

    assert answer.status_code == 302
    assert Dataset.objects.get().schema["reference"]["answer"]["maxLength"] == 4
    assert "1 of the first 3 examples do not fit" in markup(alices.get(address))


@pytest.mark.parametrize("form", ["{", "[]", '{"reference": {"answer": {"type": "text"}}}'])
def test_a_schema_that_cannot_be_used_is_refused_with_its_text(alices, dataset, form):
    answer = alices.post(f"/datasets/{dataset.pk}/schema/", {"schema": form})

    assert answer.status_code == 400
    assert Dataset.objects.get().schema == {}


def test_a_suggestion_is_shown_and_not_stored(alices, dataset):
    html = markup(alices.get(f"/datasets/{dataset.pk}/schema/"))

    assert "&quot;type&quot;: &quot;string&quot;" in html
    assert Dataset.objects.get().schema == {}


def test_a_schema_is_a_table_of_its_columns(alices, dataset):
    rules = {"type": ["string", "null"], "enum": ["Rome", "Bern"]}
    Dataset.objects.update(schema={"reference": {"answer": rules}, "metadata": {"$": {"minProperties": 1}}})

    shown = alices.get(f"/datasets/{dataset.pk}/schema/").context["fields"]

    assert [(field.column, field.part, field.words, field.may_be_empty, field.rules) for field in shown] == [
        ("answer", "reference", "text", True, 'enum ["Rome","Bern"]'),
        ("all columns", "metadata", "anything", True, "minProperties 1"),
    ]


def test_a_type_is_chosen_without_writing_json(alices, dataset):
    chosen = {
        "type.reference.answer": "integer",
        "was-type.reference.answer": "string",
        "empty.reference.answer": "on",
    }

    alices.post(f"/datasets/{dataset.pk}/schema/", {"schema": SCHEMA} | chosen)

    assert Dataset.objects.get().schema == {
        "reference": {"answer": {"type": ["integer", "null"], "maxLength": 4}}
    }


def test_a_type_that_was_written_as_json_is_not_taken_back_by_the_table(alices, dataset):
    shown = {"type.reference.answer": "number", "was-type.reference.answer": "number"}

    alices.post(f"/datasets/{dataset.pk}/schema/", {"schema": SCHEMA} | shown)

    assert Dataset.objects.get().schema["reference"]["answer"]["type"] == "string"


def confirm_page(client) -> str:
    """The address of the last step of an upload whose second row violates the schema."""
    rows = "question,answer\nq1,Rome\nq2,Lisbon\n"
    address = client.post("/p/default/datasets/upload/", {"text": rows})["Location"]
    return address.replace("columns", "confirm")


def test_a_schema_comes_with_the_first_upload_and_stays_for_a_second_try(alices, project):
    alices.post(confirm_page(alices), {"name": "Towns", "on_error": "reject", "schema": SCHEMA})
    imports.run_import(Import.objects.get().pk)

    dataset = Dataset.objects.get()
    assert (dataset.status, dataset.error_counts) == ("failed", {"schema_mismatch": 1})
    again = alices.post(f"/datasets/{dataset.pk}/reopen/")["Location"].replace("columns", "confirm")
    assert alices.get(again).context["form"]["schema"].value() == pretty(dataset.schema)
    alices.post(again, {"name": "Towns", "on_error": "reject", "schema": SCHEMA.replace("4", "9")})
    imports.run_import(Import.objects.get().pk)
    dataset.refresh_from_db()
    assert (dataset.status, dataset.example_count) == ("ready", 2)


def test_a_schema_that_cannot_be_used_starts_no_import(alices, project):
    response = alices.post(confirm_page(alices), {"name": "Towns", "on_error": "reject", "schema": "{"})

    assert (response.status_code, list(response.context["form"].errors)) == (400, ["schema"])
    assert not Dataset.objects.exists()
