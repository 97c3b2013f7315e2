"""Rows of files are checked against the dataset's schema."""

import pytest

from evaluations.datasets import datasets, schema_of
from evaluations.errors import Invalid
from evaluations.imports import changes, imports
from evaluations.models import DatasetImport, Import, RefusedRow
from tests import factories

pytestmark = pytest.mark.django_db
MAPPING = {"inputs": ["question"], "reference": ["answer"], "key": "key"}
ROWS = [
    {"key": "k4", "question": "q4", "answer": "Bern"},
    {"key": "k1", "question": "q1", "answer": 7},
]


@pytest.fixture
def dataset(project):
    created = factories.dataset(project)
    return schema_of.store(created, {"reference": {"answer": {"type": "string"}}})


def change(dataset, mode, **options):
    upload = factories.parked(dataset.project, factories.jsonl(*ROWS))
    started = changes.begin(upload, dataset, mode, MAPPING, **options)
    for pk in Import.objects.values_list("pk", flat=True):
        imports.run_import(pk)
    return DatasetImport.objects.get(pk=started.pk)


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_merge_leaves_out_rows_that_do_not_fit_and_says_where(dataset, dry_run):
    ended = change(dataset, "merge", on_error="skip", dry_run=dry_run)

    assert (ended.status, ended.added, ended.changed, ended.error_counts) == (
        "ready",
        1,
        0,
        {"schema_mismatch": 1},
    )
    assert ended.errors[0]["where"] == {
        "line": 2,
        "column": "answer",
        "path": "$",
        "expected": 'type "string", not integer',
    }
    assert [*RefusedRow.objects.get(change=ended).cells.values()] == ["k1", "q1", "7"]


@pytest.mark.parametrize("mode", ["append", "merge", "mirror"])
def test_one_row_that_does_not_fit_refuses_a_strict_file(dataset, mode):
    ended = change(dataset, mode)

    dataset.refresh_from_db()
    assert (ended.status, dataset.version) == ("failed", 1)
    assert ended.errors[0]["code"] == "schema_mismatch"


def test_an_example_that_is_added_or_edited_must_fit(dataset):
    with pytest.raises(Invalid) as added:
        datasets.append(dataset, None, [{"reference": {"answer": "a"}}, {"reference": {"answer": 1}}])
    with pytest.raises(Invalid) as edited:
        datasets.edit(dataset, None, 1, {"reference": {"answer": None}})

    assert added.value.code == edited.value.code == "schema_mismatch"
    assert added.value.where["example"] == 2
    assert dataset.versions.count() == 1


def test_an_example_that_was_there_before_the_schema_comes_back(dataset):
    datasets.remove(dataset, None, 1)
    schema_of.store(dataset, {"reference": {"answer": {"type": "integer"}}})

    assert datasets.put_back(dataset, None, 1).key == "k1"
