"""Files for an existing dataset, by the API."""

import pytest

from evaluations.imports import imports
from evaluations.models import Import
from tests import factories

pytestmark = pytest.mark.django_db
CSV = (
    b"key,question,answer\nk1,q1,Paris\nk2,q2,Rom\nk9,q9,Bern\n"  # k1 is the same, k2 differs, k3 is missing.
)


@pytest.fixture
def dataset(project):
    return factories.dataset(project)


def read_all() -> None:
    for pk in Import.objects.values_list("pk", flat=True):
        imports.run_import(pk)


def ended(program, dataset, content: bytes = CSV, **fields):
    """The finished import as the API shows it, read in this process."""
    response = program.upload(f"datasets/{dataset.pk}/upload/", content, "weekly.csv", **fields)
    assert response.status_code == 202, response.content
    read_all()
    return program.get(f"datasets/{dataset.pk}/imports/{response.json()['import']}/").json()


def test_an_upload_reports_its_changes(writer, dataset):
    shown = ended(writer, dataset, mode="mirror")

    assert {name: shown[name] for name in ("added", "changed", "removed", "same", "duplicates")} == {
        "added": 1, "changed": 1, "removed": 1, "same": 1, "duplicates": 0,
    }  # fmt: skip
    assert (shown["status"], shown["dry_run"], shown["version"], shown["errors"]) == ("ready", False, 2, [])
    keys = [example["key"] for example in writer.get(f"datasets/{dataset.pk}/examples/").json()["results"]]
    assert sorted(keys) == ["k1", "k2", "k9"]


def test_a_dry_run_is_applied_without_sending_the_file_again(writer, dataset):
    tried = ended(writer, dataset, mode="mirror", dry_run="true")
    assert writer.get(f"datasets/{dataset.pk}/").json()["version"] == 1

    response = writer.post(f"datasets/{dataset.pk}/imports/{tried['id']}/apply/")
    read_all()

    applied = writer.get(f"datasets/{dataset.pk}/imports/{response.json()['import']}/").json()
    same = ("mode", "added", "changed", "removed", "same", "duplicates", "first", "errors")
    assert {name: applied[name] for name in same} == {name: tried[name] for name in same}
    assert (tried["version"], applied["version"]) == (1, 2)


def test_a_second_file_waits_until_the_first_is_read(writer, dataset):
    writer.upload(f"datasets/{dataset.pk}/upload/", CSV, mode="merge")

    refused = writer.upload(f"datasets/{dataset.pk}/upload/", CSV, mode="merge")

    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "dataset_not_ready")


def test_while_it_is_read_an_import_is_importing(writer, dataset):
    started = writer.upload(f"datasets/{dataset.pk}/upload/", CSV, mode="merge").json()

    shown = writer.get(f"datasets/{dataset.pk}/imports/{started['import']}/").json()

    assert (shown["status"], shown["version"], shown["finished_at"]) == ("importing", None, None)


def test_refused_rows_are_a_file(writer, dataset):
    shown = ended(writer, dataset, CSV + b"k9,q9,Basel\n", mode="merge", on_error="skip")

    rows = writer.get(f"datasets/{dataset.pk}/imports/{shown['id']}/refused/?format=jsonl")

    assert (shown["error_count"], shown["added"]) == (1, 1)
    assert b'"cells":["k9","q9","Basel"]' in b"".join(rows.streaming_content)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({}, "required"),
        ({"mode": "replace"}, "invalid_choice"),
        ({"mode": "restore"}, "invalid_choice"),
        ({"mode": "merge", "dry_run": "perhaps"}, "invalid"),
        ({"mode": "mirror", "on_error": "skip"}, "invalid_choice"),
        ({"mode": "merge", "mapping": "[]"}, "object_expected"),
        ({"mode": "merge", "mapping": {"inputs": ["nowhere"], "key": "key"}}, "missing_column"),
        ({"mode": "mirror", "mapping": {"inputs": ["question"]}}, "key_needed"),
        (
            {"mode": "merge", "mapping": {"inputs": ["question"], "outputs": {"a": "answer"}}},
            "invalid_mapping",
        ),
        ({"mode": "merge", "name": "no such field"}, "unknown_field"),
    ],
)
def test_impossible_requests_are_refused_with_a_reason(writer, dataset, fields, code):
    response = writer.upload(f"datasets/{dataset.pk}/upload/", CSV, **fields)

    assert response.status_code == 400
    assert code in response.content.decode()
    assert not Import.objects.exists()


def test_imports_are_listed_and_belong_to_their_dataset(writer, dataset, project):
    shown = ended(writer, dataset, mode="append", on_error="skip")
    second = factories.dataset(project, name="other")

    assert [
        imported["id"] for imported in writer.get(f"datasets/{dataset.pk}/imports/").json()["results"]
    ] == [shown["id"]]
    assert writer.get(f"datasets/{second.pk}/imports/{shown['id']}/").status_code == 404


def test_the_same_idempotency_key_reads_the_file_once(writer, dataset):
    first, second = (
        writer.upload(
            f"datasets/{dataset.pk}/upload/", CSV, mode="merge", headers={"Idempotency-Key": "weekly"}
        )
        for _ in range(2)
    )

    assert first.json() == second.json()


def test_a_diff_has_counts_and_pages_of_examples(writer, dataset):
    ended(writer, dataset, mode="mirror")

    page = writer.get(f"datasets/{dataset.pk}/diff/?from=1&to=2&page_size=2").json()
    next_page = writer.get(page["next"]).json()

    assert (page["added"], page["changed"], page["removed"]) == (1, 1, 1)
    assert [change["change"] for change in page["results"] + next_page["results"]] == [
        "changed",
        "added",
        "removed",
    ]
    assert page["results"][0]["before"]["reference"] == {"answer": "Rome"}
    assert (next_page["next"], writer.get(next_page["previous"]).json()["results"]) == (None, page["results"])


def test_a_version_is_restored_and_described(writer, dataset):
    ended(writer, dataset, mode="mirror")

    started = writer.post(f"datasets/{dataset.pk}/versions/1/restore/")
    read_all()
    writer.patch(
        f"datasets/{dataset.pk}/versions/3/", {"tag": "as before", "comment": "the new week was wrong"}
    )

    assert started.status_code == 202
    shown = writer.get(f"datasets/{dataset.pk}/imports/{started.json()['import']}/").json()
    assert (shown["mode"], shown["status"], shown["version"]) == ("restore", "ready", 3)
    newest = writer.get(f"datasets/{dataset.pk}/versions/").json()["results"][0]
    assert (newest["number"], newest["tag"], newest["example_count"]) == (3, "as before", 3)


@pytest.mark.parametrize("path", ["diff/?from=1&to=9", "versions/9/", "versions/9999999999/"])
def test_a_missing_version_is_404(writer, dataset, path):
    assert writer.get(f"datasets/{dataset.pk}/{path}").status_code == 404
