"""Edits of many examples of a dataset by one call."""

from typing import Any

import pytest

from evaluations.datasets import schema_of, splits
from evaluations.datasets.splits import Rule
from evaluations.imports import bulk_edits
from evaluations.models import AuditEntry, Dataset, DatasetImport, Split
from tests import factories

from .conftest import import_all

pytestmark = pytest.mark.django_db
LAW = {"filter": {"topic": "law"}}


@pytest.fixture
def dataset(project) -> Dataset:
    return factories.questions(project)


@pytest.fixture
def hard(dataset) -> Split:
    return factories.split(dataset)


def bulk(program: Any, dataset: Dataset, **body: Any) -> Any:
    return program.post(f"datasets/{dataset.pk}/examples/bulk/", body)


def metadata(program: Any, dataset: Dataset) -> dict[str, Any]:
    listed = program.get(f"datasets/{dataset.pk}/examples/").json()["results"]
    return {row["key"]: row["metadata"] for row in listed}


def test_a_dry_run_counts_and_the_edit_does_the_same(writer, dataset):
    body = {"select": LAW, "do": "set", "column": "topic", "value": "tax", "version": 1}

    tried = bulk(writer, dataset, **body, dry_run=True).json()
    unchanged = metadata(writer, dataset)
    edited = bulk(writer, dataset, **body)

    assert [tried[name] for name in ("status", "version", "selected", "changed", "removed", "same")] == [
        "ready", 1, 5, 5, 0, 0,
    ]  # fmt: skip
    assert [row["key"] for row in tried["first"]["changed"]] == ["k2", "k4", "k6", "k8", "k10"]
    assert unchanged["k2"] == {"topic": "law"}
    assert (edited.status_code, edited.json()) == (
        200,
        tried | {"dry_run": False, "version": 2, "import": edited.json()["import"]},
    )
    assert {str(value) for value in metadata(writer, dataset).values()} == {"{'topic': 'tax'}"}


def test_a_dry_run_is_applied_and_undone_by_its_id(writer, dataset):
    tried = bulk(writer, dataset, select={"keys": ["k1", "k2"]}, do="delete", dry_run=True).json()

    applied = writer.post(f"datasets/{dataset.pk}/imports/{tried['import']}/apply/")
    assert applied.status_code == 202
    assert list(metadata(writer, dataset)) == [f"k{n}" for n in range(3, 11)]
    writer.post(f"datasets/{dataset.pk}/versions/1/restore/")
    import_all()

    assert len(metadata(writer, dataset)) == 10


def test_text_is_replaced_and_null_removes_a_column(writer, dataset):
    text = {"part": "inputs", "column": "q", "find": "question", "with": "request"}
    bulk(writer, dataset, select={"all": True}, do="replace", **text)
    bulk(writer, dataset, select={"search": "request 1"}, do="set", column="topic", value=None)

    rows = writer.get(f"datasets/{dataset.pk}/examples/").json()["results"]

    assert {row["inputs"]["q"] for row in rows} == {f"request {n}" for n in range(1, 11)}
    assert sorted(row["key"] for row in rows if row["metadata"] == {}) == ["k1", "k10"]


def test_many_examples_are_left_to_a_worker(writer, dataset, monkeypatch):
    monkeypatch.setattr(bulk_edits, "AT_ONCE", 4)

    started = bulk(writer, dataset, select=LAW, do="delete")
    assert (started.status_code, started.json()["status"], started.json()["selected"]) == (
        202,
        "importing",
        5,
    )
    import_all()
    shown = writer.get(f"datasets/{dataset.pk}/imports/{started.json()['import']}/").json()

    assert (shown["status"], shown["mode"], shown["removed"], shown["version"]) == ("ready", "delete", 5, 2)


def test_examples_go_into_a_split_and_out_of_it(writer, dataset, hard):
    tried = bulk(writer, dataset, select=LAW, do="split", split="hard", action="add", dry_run=True).json()
    added = bulk(writer, dataset, select=LAW, do="split", split="hard", action="add").json()
    size = writer.get(f"splits/{hard.pk}/").json()["examples"]
    out = bulk(writer, dataset, select={"split": "hard"}, do="split", split=hard.pk, action="remove").json()

    assert (tried["changed"], tried["same"]) == (added["changed"], added["same"]) == (4, 1)
    assert (size, out["changed"], writer.get(f"splits/{hard.pk}/").json()["examples"]) == (6, 6, 0)
    assert writer.get(f"datasets/{dataset.pk}/").json()["version"] == 1


def test_the_same_idempotency_key_edits_once(writer, dataset):
    body = {
        "select": {"all": True},
        "do": "replace",
        "part": "inputs",
        "column": "q",
        "find": "question",
        "with": "a question",
    }
    address = f"datasets/{dataset.pk}/examples/bulk/"

    first, second = (writer.post(address, body, **{"Idempotency-Key": "once"}) for _ in range(2))

    assert (first.status_code, first.json()) == (200, second.json())
    assert second["Idempotent-Replayed"] == "true"
    assert writer.get(f"datasets/{dataset.pk}/").json()["version"] == 2


def test_a_refusal_by_the_schema_names_the_path(writer, dataset):
    schema_of.store(dataset, {"metadata": {"topic": {"enum": ["law", "tax"]}}})

    for dry_run in (True, False):
        response = bulk(writer, dataset, select=LAW, do="set", column="topic", value="lwa", dry_run=dry_run)
        error = response.json()["error"]
        assert (response.status_code, error["code"]) == (400, "schema_mismatch")
        assert error["where"] == {
            "example": 2, "column": "topic", "path": "$", "expected": 'enum ["law","tax"]', "examples": 5,
        }  # fmt: skip
    assert not DatasetImport.objects.exists()


SET = {"do": "set", "column": "topic", "value": "law"}
REPLACE = {"do": "replace", "part": "inputs", "column": "q", "find": "a", "with": "b"}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (SET, "required"),
        (SET | {"select": {}}, "invalid_edit"),
        (SET | {"select": {"all": "yes"}}, "invalid"),
        (SET | {"select": {"everything": True}}, "unknown_field"),
        (SET | {"select": {"filter": {"nobody": "law"}}}, "missing_column"),
        (SET | {"select": {"positions": [99]}}, "unknown_example"),
        (SET | {"select": {"split": "nowhere"}}, "unknown_split"),
        (SET | {"select": LAW, "version": 2}, "changed_meanwhile"),
        (SET | {"select": LAW, "column": ""}, "required"),
        (SET | {"select": LAW, "find": "a"}, "unknown_field"),
        ({"select": LAW, "do": "set", "column": "topic"}, "required"),
        ({"select": LAW, "do": "burn"}, "invalid_choice"),
        ({"select": LAW, "do": "delete", "column": "topic"}, "unknown_field"),
        (REPLACE | {"select": LAW, "column": "nobody"}, "missing_column"),
        (REPLACE | {"select": LAW, "find": ""}, "required"),
        (REPLACE | {"select": LAW, "part": "outputs"}, "invalid_choice"),
        ({"select": LAW, "do": "split", "split": "hard"}, "required"),
        ({"select": LAW, "do": "split", "split": "nowhere", "action": "add"}, "unknown_split"),
        ({"select": LAW, "do": "split", "split": "rule", "action": "add"}, "invalid_split"),
    ],
    ids=str,
)
def test_impossible_requests_are_refused_with_a_reason(writer, dataset, hard, body, code):
    splits.create(dataset, None, "rule", Rule(filter=[("topic", "law")]))

    response = writer.post(f"datasets/{dataset.pk}/examples/bulk/", body)

    assert response.json()["error"]["code"] == code
    assert 400 <= response.status_code < 500
    assert writer.get(f"datasets/{dataset.pk}/").json()["version"] == 1
    assert not DatasetImport.objects.exists()


def test_only_a_real_edit_is_in_the_audit_log(writer, dataset):
    bulk(writer, dataset, select=LAW, do="delete", dry_run=True)
    assert not AuditEntry.objects.exists()

    bulk(writer, dataset, select=LAW, do="delete")

    entry = AuditEntry.objects.get()
    assert (entry.action, entry.object_name, entry.details) == (
        "example-bulk", "questions", {"examples": 5, "do": "delete"},
    )  # fmt: skip


def test_a_stranger_and_a_reader_edit_nothing(stranger, reader, dataset):
    assert bulk(stranger, dataset, select=LAW, do="delete").status_code == 404
    assert bulk(reader, dataset, select=LAW, do="delete").status_code == 403
