"""Edits of many examples: dry run, new version, undo by restoring, and workers for large edits."""

import json
import random
from datetime import timedelta
from typing import Any

import pytest

from evaluations import bulk, leases
from evaluations.datasets import datasets, schema_of
from evaluations.datasets.edits import DELETE, REPLACE, SET, Edit
from evaluations.datasets.selections import Selection
from evaluations.errors import Conflict, Invalid
from evaluations.imports import bulk_edits, changes, claims, editing, imports
from evaluations.imports.uploads import uploads
from evaluations.models import Dataset, DatasetImport, Example, Import, Upload

pytestmark = pytest.mark.django_db
LAW = Edit(SET, "metadata", "topic", "law")


@pytest.fixture
def dataset(project) -> Dataset:
    """Six examples k1 to k6; the even ones are on law."""
    rows = [
        {
            "key": f"k{n}",
            "inputs": {"q": f"the colour of {n}"},
            "reference": {"a": n},
            "metadata": {"topic": "tax" if n % 2 else "law"},
        }
        for n in range(1, 7)
    ]
    return datasets.create(project, None, "questions", rows)


@pytest.fixture(params=["at once", "by a worker"])
def way(request, monkeypatch) -> str:
    """Small edits in the request, large ones by a worker in several batches."""
    if request.param == "by a worker":
        monkeypatch.setattr(bulk_edits, "AT_ONCE", 0)
        monkeypatch.setattr(editing, "BATCH", 2)
    return request.param


def edit(dataset: Dataset, chosen_edit: Edit, dry_run: bool = False, **conditions: Any) -> DatasetImport:
    conditions = conditions or {"everything": True}
    dataset.refresh_from_db()
    selection = Selection(dataset, dataset.version, **conditions)
    return finished(bulk_edits.begin(selection, chosen_edit, None, dry_run=dry_run))


def finished(change: DatasetImport) -> DatasetImport:
    for pk in Import.objects.values_list("pk", flat=True):
        imports.run_import(pk)
    change.refresh_from_db()
    change.dataset.refresh_from_db()
    return change


def rows(dataset: Dataset, version: int | None = None) -> dict[str, tuple[Any, ...]]:
    """By key: inputs, reference, metadata, and the identity of the example."""
    dataset.refresh_from_db()
    return {
        row.key: (json.loads(row.inputs), json.loads(row.reference), json.loads(row.metadata), row.identity)
        for row in datasets.examples(dataset, version)
    }  # fmt: skip


def counts(change: DatasetImport) -> tuple[int, int, int]:
    return change.changed, change.removed, change.same


def test_a_column_is_set_in_a_new_version(dataset, way):
    before = rows(dataset)

    ended = edit(dataset, LAW)

    assert (ended.status, counts(ended), ended.version) == ("ready", (3, 0, 3), 2)
    assert rows(dataset) == {key: (*row[:2], {"topic": "law"}, row[3]) for key, row in before.items()}
    assert rows(dataset, 1) == before
    assert (dataset.version, dataset.example_count, dataset.imports.count()) == (2, 6, 0)
    assert dataset.versions.first().note == "3 changed: set topic to law"


def test_the_note_of_a_version_counts_in_groups_of_three_digits_as_pages_do(project):
    many = datasets.create(project, None, "many", [{"inputs": {"q": str(n)}} for n in range(1_200)])

    edit(many, LAW)

    assert many.versions.first().note == "1\u202f200 changed: set topic to law"


def test_a_new_column_is_known_afterwards(dataset):
    edit(dataset, Edit(SET, "metadata", "level", 2), positions=[1])

    dataset.refresh_from_db()
    assert dataset.columns["metadata"] == ["topic", "level"]


def test_text_is_replaced_in_the_selected_examples_only(dataset, way):
    ended = edit(dataset, Edit(REPLACE, "inputs", "q", find="colour", replacement="color"), keys=["k2", "k3"])

    assert counts(ended) == (2, 0, 0)
    assert [key for key, row in rows(dataset).items() if "color " in row[0]["q"]] == ["k2", "k3"]


def test_examples_are_deleted_and_an_older_version_keeps_them(dataset, way):
    before = rows(dataset)

    ended = edit(dataset, Edit(DELETE), filter=[("topic", "law")])

    assert (counts(ended), dataset.versions.first().note) == ((0, 3, 0), "3 removed: delete")
    assert list(rows(dataset)) == ["k1", "k3", "k5"]
    assert rows(dataset, 1) == before
    assert dataset.example_count == 3


def test_an_edit_is_undone_by_restoring_the_version_before(dataset, way):
    before = rows(dataset)
    edit(dataset, LAW)
    edit(dataset, Edit(DELETE), search="colour of 3")

    finished(changes.restore(dataset, 1, None))

    assert rows(dataset) == before
    assert dataset.version == 4


def test_an_edit_that_changes_nothing_makes_no_version(dataset, way):
    ended = edit(dataset, LAW, filter=[("topic", "law")])

    assert (ended.status, counts(ended), ended.version) == ("ready", (0, 0, 3), 1)
    assert dataset.versions.count() == 1


# ---- dry runs ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "chosen_edit", [LAW, Edit(REPLACE, "inputs", "q", find="of 1", replacement="one"), Edit(DELETE)], ids=str
)
def test_a_dry_run_changes_nothing_and_counts_what_the_edit_then_does(dataset, way, chosen_edit):
    stored = list(Example.objects.order_by("position").values())

    tried = edit(dataset, chosen_edit, dry_run=True)
    assert (dataset.version, list(Example.objects.order_by("position").values())) == (1, stored)
    applied = finished(changes.apply(tried, None))

    assert (counts(applied), applied.first) == (counts(tried), tried.first)
    assert (tried.version, applied.version) == (1, 2)


def test_a_dry_run_parks_no_file_that_could_never_be_forgotten(dataset, way):
    tried = edit(dataset, LAW, dry_run=True)
    Upload.objects.update(touched_at=leases.now() - timedelta(days=1))

    uploads.forget_unconfirmed()

    assert tried.upload is None


def test_a_dry_run_shows_the_first_examples_before_and_after(dataset):
    tried = edit(dataset, LAW, dry_run=True)

    [first, *_] = tried.first["changed"]
    assert (first["key"], first["before"]["metadata"], first["after"]["metadata"]) == (
        "k1", {"topic": "tax"}, {"topic": "law"},
    )  # fmt: skip


def test_a_dry_run_is_applied_to_the_examples_that_it_tried_or_not_at_all(dataset):
    tried = edit(dataset, Edit(DELETE), dry_run=True, filter=[("topic", "law")])
    finished(changes.apply(tried, None))
    tried.refresh_from_db()

    with pytest.raises(Conflict) as refusal:
        changes.apply(tried, None)

    assert refusal.value.code == "changed_meanwhile"
    assert list(rows(dataset)) == ["k1", "k3", "k5"]


# ---- refusals ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dry_run", [False, True])
def test_one_value_that_does_not_fit_the_schema_refuses_the_edit(dataset, way, dry_run):
    schema_of.store(dataset, {"inputs": {"q": {"type": "string", "maxLength": 15}}})
    stored = list(Example.objects.order_by("position").values())

    ended = edit(
        dataset, Edit(REPLACE, "inputs", "q", find="of 5", replacement="of fifty"), dry_run, everything=True
    )

    assert (ended.status, ended.error_counts) == ("failed", {"schema_mismatch": 1})
    assert {name: ended.errors[0]["where"][name] for name in ("example", "column", "path")} == {
        "example": 5, "column": "q", "path": "$",
    }  # fmt: skip
    assert list(Example.objects.order_by("position").values()) == stored
    assert (dataset.version, dataset.imports.count()) == (1, 0)
    with pytest.raises(Invalid) as refusal:
        bulk_edits.require_success(ended)
    assert (refusal.value.code, refusal.value.where["examples"]) == ("schema_mismatch", 1)


def test_columns_that_are_not_edited_need_not_fit(dataset):
    schema_of.store(dataset, {"reference": {"a": {"type": "string"}}})

    assert edit(dataset, LAW).status == "ready"


def test_an_edit_waits_for_a_file_and_for_another_edit(dataset, monkeypatch):
    monkeypatch.setattr(bulk_edits, "AT_ONCE", 0)
    selection = Selection(dataset, 1, everything=True)
    bulk_edits.begin(selection, LAW, None)

    with pytest.raises(Conflict) as refusal:
        bulk_edits.begin(selection, Edit(DELETE), None)

    assert refusal.value.code == "dataset_not_ready"
    assert DatasetImport.objects.count() == 1


# ---- large values --------------------------------------------------------------------------------------------


def test_no_more_text_is_written_at_once_than_memory_may_hold(dataset, monkeypatch):
    """The examples that are read are small; those that are written are large."""
    monkeypatch.setattr(editing, "CHARACTERS", 500)
    written: list[int] = []
    insert = bulk.insert

    def watched(model: type, fields: Any, new: Any) -> None:
        written.append(sum(len(text) for row in new for text in row if isinstance(text, str)))
        insert(model, fields, new)

    monkeypatch.setattr(bulk, "insert", watched)

    ended = edit(dataset, Edit(SET, "metadata", "topic", "law" * 60))

    assert counts(ended) == (6, 0, 0)
    assert len(written) == 3
    assert max(written) < 600


# ---- lost workers ---------------------------------------------------------------------------------------------


class Stopped(Exception):
    pass


def test_an_edit_that_was_cut_off_is_invisible_and_begins_again(dataset, monkeypatch):
    before = rows(dataset)
    monkeypatch.setattr(bulk_edits, "AT_ONCE", 0)
    monkeypatch.setattr(editing, "BATCH", 2)
    change = bulk_edits.begin(Selection(dataset, 1, everything=True), LAW, None)

    def stop(job: Import) -> None:
        raise Stopped

    with monkeypatch.context() as patch:
        patch.setattr(claims, "end", stop)
        with pytest.raises(Stopped):
            imports.run_import(Import.objects.get().pk)
    assert rows(dataset) == before
    imports.sweep()
    ended = finished(change)

    assert (ended.status, counts(ended)) == ("ready", (3, 0, 3))
    assert [row[2] for row in rows(dataset).values()] == [{"topic": "law"}] * 6
    assert rows(dataset, 1) == before


# ---- against a script ----------------------------------------------------------------------------------------


@pytest.mark.long
def test_twenty_edits_by_chance_are_what_a_dictionary_says(project, monkeypatch):
    monkeypatch.setattr(editing, "BATCH", 7)
    chance = random.Random(20)
    state = {f"k{n}": {"q": f"{n}", "topic": chance.choice("ab")} for n in range(60)}
    edits = [
        {"key": key, "inputs": {"q": row["q"]}, "metadata": {"topic": row["topic"]}}
        for key, row in state.items()
    ]
    dataset = datasets.create(project, None, "many", edits)
    history = [{key: dict(row) for key, row in state.items()}]
    for _ in range(20):
        topic, digit = chance.choice("abc"), chance.choice("0123456789")
        chosen = [key for key, row in state.items() if row["topic"] == topic]
        kind = chance.choice(["set", "replace", "replace", "delete"])
        if kind == "set":
            edited_keys = chance.sample(sorted(state), 10)
            changed = edit(dataset, Edit(SET, "metadata", "topic", topic), keys=edited_keys)
            state |= {key: state[key] | {"topic": topic} for key in edited_keys}
        elif kind == "replace":
            chosen_edit = Edit(REPLACE, "inputs", "q", find=digit, replacement=f"{topic}{digit}")
            changed = edit(dataset, chosen_edit, filter=[("topic", topic)])
            state |= {
                key: state[key] | {"q": state[key]["q"].replace(digit, f"{topic}{digit}")} for key in chosen
            }
        else:
            few = chosen[:2]
            changed = edit(dataset, Edit(DELETE), keys=few) if few else None
            state = {key: row for key, row in state.items() if key not in few}
        if changed and changed.version != changed.base:
            history.append({key: dict(row) for key, row in state.items()})
        assert changed is None or changed.status == "ready"
    assert len(history) > 10
    for version, expected in enumerate(history, 1):
        stored = {key: row[0] | row[2] for key, row in rows(dataset, version).items()}
        assert stored == expected
