"""Inputs, references, metadata and keys inside a column of the file."""

import json

import pytest

from evaluations.datasets import datasets
from evaluations.errors import Invalid
from evaluations.imports import changes, imports
from evaluations.imports.columns.columnmap import ColumnMap
from evaluations.models import Import
from tests import factories

pytestmark = pytest.mark.django_db
ITEM = {"id": 7, "question": "2+2?", "answers": ["4", "four"]}
MAPPING = {"inputs": ["item.question"], "reference": {"answer": "$.item.answers[0]"}, "key": "$.item.id"}


def examples(dataset):
    return list(datasets.examples(dataset).values_list("key", "inputs", "reference"))


@pytest.mark.parametrize(
    ("content", "filename"),
    [
        (factories.jsonl({"item": ITEM}), "rows.jsonl"),
        (factories.jsonl({"item": json.dumps(ITEM)}), "rows.jsonl"),
        ('item\n"' + json.dumps(ITEM).replace('"', '""') + '"\n', "rows.csv"),
    ],
)
def test_parts_are_read_by_path_from_objects_and_json_texts(project, content, filename):
    dataset = factories.imported(project, content, filename, MAPPING)

    assert examples(dataset) == [("7", '{"item.question":"2+2?"}', '{"answer":"4"}')]
    assert dataset.columns == {"inputs": ["item.question"], "reference": ["answer"], "metadata": []}


def test_a_path_that_leads_nowhere_leaves_the_column_out_of_the_row(project):
    rows = factories.jsonl({"item": ITEM}, {"item": {"id": 8}}, {"item": None})

    dataset = factories.imported(project, rows, "rows.jsonl", {"inputs": ["item.question"]})

    assert [inputs for _, inputs, _ in examples(dataset)] == ['{"item.question":"2+2?"}', "{}", "{}"]


def test_a_merge_reads_the_same_paths(project):
    dataset = factories.imported(project, factories.jsonl({"item": ITEM}), mapping=MAPPING)
    changed = factories.jsonl({"item": ITEM | {"answers": ["vier"]}})

    changes.begin(factories.parked(project, changed), dataset, "merge", MAPPING)
    imports.run_import(Import.objects.get().pk)

    dataset.refresh_from_db()
    assert examples(dataset) == [("7", '{"item.question":"2+2?"}', '{"answer":"vier"}')]


@pytest.mark.parametrize(
    ("mapping", "code"),
    [
        ({"inputs": ["other.question"]}, "missing_column"),
        ({"inputs": ["item[*]"]}, "missing_column"),
        ({"inputs": ["item["]}, "missing_column"),
        ({"inputs": [["item"]]}, "invalid_mapping"),
        ({"inputs": 5}, "invalid_mapping"),
        ({"inputs": {"question": 5}}, "invalid_mapping"),
        ({"inputs": {"": "$.item.a"}}, "invalid_mapping"),
        ({"inputs": {"text": "$.item.a"}}, "invalid_mapping"),
        ({"inputs": {"a": "$.item.a"}, "reference": {"a": "$.item.b"}}, "invalid_mapping"),
    ],
)
def test_a_path_that_cannot_be_read_is_refused(mapping, code):
    with pytest.raises(Invalid) as refused:
        ColumnMap.check(["item", "text"], mapping)

    assert refused.value.code == code


def test_a_mapping_with_paths_survives_its_storage():
    columns = ColumnMap.check(["item"], MAPPING)

    assert ColumnMap.from_dict(json.loads(json.dumps(columns.as_dict()))) == columns
    assert columns.left_out(["item", "more"]) == ["more"]
