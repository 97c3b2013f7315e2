"""Pages for editing many examples: selection, preview, edit and undo."""

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from evaluations.datasets import datasets, schema_of, splits
from evaluations.imports import bulk_edits, imports
from evaluations.models import AuditEntry, Dataset, DatasetImport, Example, Import, Split
from tests import factories
from tests.pages import markup, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def dataset(project) -> Dataset:
    return factories.questions(project)


@pytest.fixture
def hard(dataset) -> Split:
    return factories.split(dataset)


def preview(client: Client, address: str, **fields: str) -> DatasetImport:
    """The dry run that the form leads to."""
    response = client.post(address, fields)
    assert response.status_code == 302, response.content
    tried = DatasetImport.objects.first()
    assert response["Location"] == f"/datasets/{tried.dataset_id}/imports/{tried.pk}/"
    return tried


def import_address(change: DatasetImport, then: str = "") -> str:
    return f"/datasets/{change.dataset_id}/imports/{change.pk}/{then}"


def test_the_page_of_a_dataset_links_to_an_edit_of_the_shown_rows(alices, dataset):
    for query, count in (("", 10), ("?metadata[topic]=law", 5), ("?q=question+1&metadata[topic]=law", 1)):
        address = alices.get(f"/datasets/{dataset.pk}/{query}").context["edit_all"]
        page = alices.get(address)

        assert page.context["count"] == count
        assert "Find and replace" in markup(page)


def test_ticked_rows_are_edited(alices, dataset):
    page = alices.get(f"/datasets/{dataset.pk}/examples/bulk/?version=1&position=2&position=7&position=x")

    assert (page.context["count"], page.context["conditions"]) == (2, ["selected"])


@pytest.mark.django_db(transaction=True)
def test_ticks_are_counted_beside_the_button_that_edits_them(alices_page: Page, dataset, live_server):
    page = alices_page
    page.goto(f"{live_server.url}/datasets/{dataset.pk}/")

    page.get_by_label("Select k2").check()
    page.get_by_label("Select k7").check()
    expect(page.locator("output[data-ticked]")).to_have_text("2 selected")
    page.get_by_role("button", name="Edit the selected rows").click()

    expect(page.get_by_role("heading", level=1)).to_contain_text("2 examples")


def test_an_edit_is_previewed_made_and_undone(alices, dataset):
    tried = preview(
        alices,
        f"/datasets/{dataset.pk}/examples/bulk/?version=1&metadata[topic]=law",
        do="replace",
        column="inputs.q",
        find="question ",
        replacement="query ",
    )
    page = markup(alices.get(import_address(tried)))
    assert "Change 5 examples" in page
    assert "Nothing has changed yet" in page
    assert "<del>" in page

    alices.post(import_address(tried, "apply/"))
    made_change = DatasetImport.objects.first()
    result = markup(alices.get(import_address(made_change)))
    assert Example.objects.filter(removed_in=None, inputs__contains="query ").count() == 5
    assert f'action="/datasets/{dataset.pk}/versions/1/restore/"' in result

    alices.post(f"/datasets/{dataset.pk}/versions/1/restore/")
    imports.run_import(Import.objects.get().pk)
    assert Example.objects.filter(removed_in=None, inputs__contains="question ").count() == 10
    assert "/versions/1/restore/" not in markup(alices.get(import_address(made_change)))


@pytest.mark.parametrize(
    ("form", "metadata"),
    [
        ({"column": "topic", "kind": "text", "value": "7"}, '{"topic":"7"}'),
        ({"column": "topic", "kind": "json", "value": '[7, "a"]'}, '{"topic":[7,"a"]}'),
        ({"column": "level", "kind": "json", "value": "7"}, '{"topic":"law","level":7}'),
        ({"column": "topic", "kind": "none", "value": ""}, "{}"),
    ],
)
def test_metadata_is_set_as_text_or_json_or_removed(alices, dataset, form, metadata):
    tried = preview(alices, f"/datasets/{dataset.pk}/examples/bulk/?position=2", do="set", **form)
    alices.post(import_address(tried, "apply/"))

    assert Example.objects.get(key="k2", removed_in=None).metadata == metadata


def test_examples_are_deleted_after_a_preview(alices, dataset):
    tried = preview(alices, f"/datasets/{dataset.pk}/examples/bulk/?metadata[topic]=law", do="delete")
    assert "Delete 5 examples" in markup(alices.get(import_address(tried)))

    alices.post(import_address(tried, "apply/"))

    dataset.refresh_from_db()
    assert (dataset.example_count, dataset.version) == (5, 2)


def law_of(dataset) -> str:
    """The address that edits the examples on law."""
    return f"/datasets/{dataset.pk}/examples/bulk/?metadata[topic]=law"


def test_the_page_counts_the_chosen_examples_in_a_split(alices, dataset, hard):
    [members] = alices.get(law_of(dataset)).context["members"]

    assert (members.split, members.count) == (hard, 1)


def test_examples_go_into_a_split(alices, dataset, hard):
    alices.post(law_of(dataset), {"do": "split", "split": hard.pk, "action": "add"})

    hard.refresh_from_db()
    assert len(splits.positions(hard, 1)) == 6


def test_examples_go_out_of_a_split(alices, dataset, hard):
    alices.post(law_of(dataset), {"do": "split", "split": hard.pk, "action": "add"})

    alices.post(law_of(dataset), {"do": "split", "split": hard.pk, "action": "remove"})

    hard.refresh_from_db()
    assert splits.positions(hard, 1).tolist() == [1]


def test_a_move_into_a_split_is_undone(alices, dataset, hard):
    address = f"/datasets/{dataset.pk}/examples/bulk/?metadata[topic]=law"
    done = alices.post(address, {"do": "split", "split": hard.pk, "action": "add"}, follow=True)
    [undo] = [message.extra_tags for message in done.context["messages"]]

    assert alices.post(undo).status_code == 302
    hard.refresh_from_db()
    assert splits.positions(hard, 1).tolist() == [1, 2]

    assert alices.post(undo).status_code == 409


def test_the_selected_examples_make_a_split(alices, dataset):
    address = f"/datasets/{dataset.pk}/examples/bulk/?metadata[topic]=law"

    assert alices.post(address, {"do": "new_split", "name": "legal"}).status_code == 302

    split = Split.objects.get()
    assert (split.name, splits.positions(split, 1).tolist()) == ("legal", [2, 4, 6, 8, 10])


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ({"do": "set", "column": "topic", "kind": "json", "value": "{oops"}, 400),
        ({"do": "set", "column": "", "kind": "text", "value": "oops"}, 400),
        ({"do": "replace", "column": "inputs.oops", "find": "oops"}, 400),
        ({"do": "replace", "column": "inputs.q", "find": "", "replacement": "oops"}, 400),
        ({"do": "split", "split": "999999", "action": "add"}, 404),
        ({"do": "oops"}, 400),
    ],
    ids=str,
)
def test_a_bad_edit_is_refused_and_shown_again(alices, dataset, form, status):
    response = alices.post(f"/datasets/{dataset.pk}/examples/bulk/?all=yes", form)

    assert response.status_code == status
    if form["do"] in ("set", "replace"):
        assert "oops" in response.content.decode()
    assert not DatasetImport.objects.exists()


def test_an_edit_of_rows_that_somebody_changed_meanwhile_is_refused(alices, dataset):
    datasets.remove(dataset, None, 1)

    for method in (alices.get, alices.post):
        assert method(f"/datasets/{dataset.pk}/examples/bulk/?version=1&all=yes").status_code in (400, 409)
    form = {"do": "delete"}
    assert alices.post(f"/datasets/{dataset.pk}/examples/bulk/?version=1&all=yes", form).status_code == 409
    assert not DatasetImport.objects.exists()


def test_the_page_names_the_first_examples_in_their_places(alices, dataset):
    first = datasets.examples(dataset).order_by("position").first()
    datasets.edit(dataset, None, first.position, {"inputs": {"question": "Changed?"}})

    page = alices.get(f"/datasets/{dataset.pk}/examples/bulk/?all=yes")

    assert page.context["keys"][0] == first.key
    assert f"{first.key} ," in text_of(page)


def test_a_filter_that_matches_nothing_offers_no_edit(alices, dataset):
    page = alices.get(f"/datasets/{dataset.pk}/examples/bulk/?q=nowhere")

    assert page.status_code == 200
    assert 'name="do"' not in page.content.decode()


def test_a_large_edit_shows_its_progress(alices, dataset, monkeypatch):
    monkeypatch.setattr(bulk_edits, "AT_ONCE", 4)
    tried = preview(alices, f"/datasets/{dataset.pk}/examples/bulk/?all=yes", do="delete")

    page = markup(alices.get(import_address(tried)))
    assert "Waiting for a worker" in page
    assert "to read the file" not in page
    imports.run_import(Import.objects.get().pk)
    assert "Delete 10 examples" in markup(alices.get(import_address(tried)))


def test_a_preview_names_the_examples_that_do_not_fit_and_offers_no_edit(alices, dataset):
    schema_of.store(dataset, {"metadata": {"topic": {"enum": ["law", "tax"]}}})
    form = {"do": "set", "column": "topic", "kind": "text", "value": "lwa"}

    tried = preview(alices, f"/datasets/{dataset.pk}/examples/bulk/?position=2&position=7", **form)
    page = markup(alices.get(import_address(tried)))

    assert "not valid for 2 examples" in page
    assert "schema_mismatch" in page
    assert "apply/" not in page


def test_a_preview_leaves_no_entry_in_the_audit_log(alices, dataset):
    tried = preview(alices, f"/datasets/{dataset.pk}/examples/bulk/?all=yes", do="delete")
    assert not AuditEntry.objects.filter(action="example-bulk").exists()

    alices.post(import_address(tried, "apply/"))

    assert AuditEntry.objects.filter(action="dataset-import-apply").count() == 1


def test_a_selection_of_an_older_version_leads_to_the_newest(alices, dataset):
    datasets.edit(dataset, None, 1, {"metadata": {"tone": "new"}})

    page = alices.get(f"/datasets/{dataset.pk}/examples/bulk/?version=1&all=yes")

    assert page.status_code == 409
    assert f'href="/datasets/{dataset.pk}/"' in markup(page)
    assert f"Open version 2 of {dataset.name}" in text_of(page)
