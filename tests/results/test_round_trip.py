"""A dataset that is exported and imported again, without any manual choice, stays the same."""

import csv
import io
import json
import random
from typing import Any

import pytest

from evaluations.datasets import datasets
from evaluations.imports import changes, imports
from evaluations.imports.uploads import uploads
from evaluations.models import Dataset, DatasetImport, Import
from evaluations.results import exports
from evaluations.values import PARTS, text_of
from tests import factories
from tests.factories import parked

pytestmark = pytest.mark.django_db
ROWS = 300
KINDS = ("csv", "jsonl", "json", "parquet", "xlsx")
PIECES = [
    *(
        "=",
        "+",
        "-",
        "@",
        "'",
        "''",
        ",",
        ";",
        "\t",
        '"',
        "\n",
        "\r\n",
        " ",
        "\ufeff",
        "\u2028",
        "\u200b",
        "\x0b",
    ),
    *("é", "東京", "🙂", "a", "word", "1", "true", "null", "{}", "[1]", "SUM(A1)"),
]
OTHER_VALUES = [
    *("", None, 0, 1, "1", -5, 0.1, 1e300, 2**53 + 1, True, False, "True", [], {}),
    *([1, "1", None], {"b": [True, {"é": "="}], "a": -1.5}),
]


def text(chance: random.Random) -> str:
    return "".join(chance.choices(PIECES, k=chance.randint(1, 6)))


def value(chance: random.Random) -> Any:
    return chance.choice(OTHER_VALUES) if chance.random() < 0.5 else text(chance)


def rows_of(dataset: Dataset) -> list[tuple[str | None, dict[str, dict[str, Any]]]]:
    """Key and parts of all examples, in order."""
    return [
        (example.key, {part: json.loads(getattr(example, part)) for part in PARTS})
        for example in datasets.examples(dataset).order_by("position")
    ]


def random_dataset(project, make: Any, count: int = ROWS) -> Dataset:
    """A dataset of random values; about one in three examples has no key."""
    chance = random.Random(20)
    examples = [
        {
            "key": f"{text(chance)}{number}" if number % 3 else None,
            "inputs": {"question": make(chance), "prompt": make(chance)},
            "reference": {"answer": make(chance)},
            "metadata": {"topic": make(chance), "=level": make(chance)},
        }
        for number in range(count)
    ]
    return datasets.create(project, None, "random", examples)


def exported(dataset: Dataset, kind: str) -> bytes:
    return b"".join(exports.of_dataset(dataset, kind))


def exported_with_parts(dataset: Dataset, kind: str) -> bytes:
    return b"".join(exports.of_dataset(dataset, kind, parts=True))


def read_again(dataset: Dataset, kind: str, write: Any = exported) -> Dataset:
    """The export imported as a new dataset, without a mapping."""
    return factories.imported(dataset.project, write(dataset, kind), f"a.{kind}", name="again")


def mirrored(dataset: Dataset, kind: str, write: Any = exported) -> DatasetImport:
    """The export imported as a mirror of its own dataset, without a mapping."""
    upload = parked(dataset.project, write(dataset, kind), f"a.{kind}")
    change = changes.begin(upload, dataset, "mirror", None)
    imports.run_import(Import.objects.get(change=change).pk)
    change.refresh_from_db()
    return change


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_texts_keys_and_order_come_back(project, kind):
    dataset = random_dataset(project, text)

    again = read_again(dataset, kind)

    assert again.status == "ready", again.errors
    assert rows_of(again) == rows_of(dataset)


@pytest.mark.parametrize("kind", exports.OBJECTS)
def test_types_come_back_from_json(project, kind):
    dataset = random_dataset(project, value)

    # repr, because 1, 1.0 and True are equal in Python
    assert repr(rows_of(read_again(dataset, kind))) == repr(rows_of(dataset))


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_every_value_comes_back_with_its_type_from_a_file_with_parts(project, kind):
    dataset = random_dataset(project, value)

    again = read_again(dataset, kind, exported_with_parts)

    assert repr(rows_of(again)) == repr(rows_of(dataset))
    assert mirrored(dataset, kind, exported_with_parts).same == ROWS


def test_cells_that_keep_their_type_can_be_read_by_other_tools(project):
    rows = [{"inputs": {"town": "Lima", "n": value}} for value in ("seven", 7, "7", "", None, [1, "é"])]
    dataset = datasets.create(project, None, "mixed", rows)

    [head, *cells] = csv.reader(io.StringIO(exported_with_parts(dataset, "csv").decode(), newline=""))

    assert head == ["key", "inputs.town", "inputs.n:json"]
    assert [cell for _, _, cell in cells] == ["seven", "7", '"7"', '""', "", '[1,"é"]']


@pytest.mark.long
@pytest.mark.parametrize(("kind", "of_empty_text"), [("csv", None), ("parquet", "")])
def test_tables_bring_every_value_back_as_its_text(project, kind, of_empty_text):
    dataset = random_dataset(project, value)

    def as_cell(value: Any) -> str | None:
        return of_empty_text if value == "" else text_of(value)

    assert rows_of(read_again(dataset, kind)) == [
        (key, {part: {name: as_cell(cell) for name, cell in cells.items()} for part, cells in parts.items()})
        for key, parts in rows_of(dataset)
    ]


COLUMNS = {
    "whole": [0, -5, 2**53 + 1, None],
    "number": [0.1, 1.0, -1e300, None],
    "flag": [True, False, None],
    "list": [[], [1, None], None, [2**40]],
    "lists": [[["é", "="]], [[]], []],
}


@pytest.mark.long
def test_columns_of_one_type_come_back_from_parquet(project):
    chance = random.Random(7)
    rows = [
        {"inputs": {name: chance.choice(values) for name, values in COLUMNS.items()}} for _ in range(ROWS)
    ]
    dataset = datasets.create(project, None, "typed", rows)

    again = factories.imported(
        project, exported(dataset, "parquet"), "a.parquet", {"inputs": [*COLUMNS]}, name="again"
    )

    assert repr(rows_of(again)) == repr(rows_of(dataset))
    assert mirrored(dataset, "parquet").same == ROWS


@pytest.mark.long
@pytest.mark.parametrize("values", [[1, 1.5], [1, True], [2**63, 1], [{"a": 1}], [[1, "1"]], [[1], 1]])
def test_values_without_one_type_are_texts_in_parquet(project, values):
    dataset = datasets.create(project, None, "mixed", [{"inputs": {"question": value}} for value in values])

    again = rows_of(read_again(dataset, "parquet"))

    assert [parts["inputs"]["question"] for _, parts in again] == [text_of(value) for value in values]


@pytest.mark.parametrize("kind", KINDS)
def test_a_dataset_of_texts_is_the_same_as_its_export(project, kind):
    dataset = random_dataset(project, text)

    change = mirrored(dataset, kind)

    assert (change.status, change.same, change.added, change.changed, change.removed) == (
        "ready",
        ROWS,
        0,
        0,
        0,
    )


# names that two parts share, that look prefixed, or that have another meaning at uploads
SHARED = {
    "inputs": {"question": "q1", "topic": "t1"},
    "reference": {"answer": "a1"},
    "metadata": {"question": "q2", "inputs.answer": "odd", "key": "mine", "topic": "t2"},
}
MISLEADING = {
    "inputs": {"text": "q1", "answer": "a0"},
    "reference": {"label": "a1", "id": "7"},
    "metadata": {"output": "o", "question": "q2", "text": "t", "metadata.text": "m", "inputs.": "i"}
    | {"question:json": "2", "metadata.text:json": "[]"},
}


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("parts", "write"),
    [(SHARED, exported), (SHARED, exported_with_parts), (MISLEADING, exported_with_parts)],
    ids=["shared names", "shared names with parts", "misleading names with parts"],
)
def test_columns_named_with_their_part_come_back_to_it(project, kind, parts, write):
    dataset = datasets.create(project, None, "named", [{"key": "k1", **parts}, {"key": "k2", **parts}])

    again = read_again(dataset, kind, write)

    assert rows_of(again) == rows_of(dataset), again.errors
    assert again.columns == dataset.columns
    assert mirrored(dataset, kind, write).same == 2


@pytest.mark.parametrize(
    ("header", "choices", "answer"),
    [
        ("key", {}, "=1"),
        ("key", {"guarded": False}, "'=1"),
        ("id", {}, "'=1"),
        ("id", {"guarded": True}, "=1"),
    ],
)
def test_apostrophes_of_other_files_stay_and_the_choice_is_the_users(project, header, choices, answer):
    upload = parked(project, f"{header},question,answer\nk1,q1,'=1\n", "a.csv")

    uploads.choose(upload, choices)

    assert [row["answer"] for row in uploads.preview(upload).rows] == [answer]


@pytest.mark.parametrize("kind", ["csv", "xlsx", "parquet"])
def test_a_second_input_comes_back_as_one_though_its_name_says_nothing(project, kind):
    parts = {"inputs": {"question": "Where?", "kontext": "a map"}, "reference": {"answer": "there"}}
    examples = [{"key": f"k{n}", **parts, "metadata": {"topic": "towns"}} for n in range(12)]
    dataset = datasets.create(project, None, "two inputs", examples)

    [first, *_] = rows_of(read_again(dataset, kind))

    assert first == ("k0", parts | {"metadata": {"topic": "towns"}})
