"""Names of columns in a dataset: as in the file, as in the mapping, or without the prefix of an export."""

import json

import pytest

from evaluations import ingest
from evaluations.errors import Invalid
from evaluations.imports.columns.columnmap import ColumnMap

ROW = {"key": "k", "inputs.q": "2+2?", "metadata.q": "sums", "gold": "4", "item": {"level": 3}}
COLUMNS = [*ROW]


def parts(columns: ColumnMap) -> dict[str, dict[str, object]]:
    """The stored parts of the row, after the mapping was serialized for a worker."""
    stored = ColumnMap.from_dict(json.loads(json.dumps(columns.as_dict())))
    batch = ingest.Objects([1], [ROW])
    return {
        part: json.loads(stored.part_texts(batch, part)[0]) for part in ("inputs", "reference", "metadata")
    }


def test_a_mapping_gives_columns_and_paths_names():
    mapping = {
        "inputs": {"question": "inputs.q"},
        "reference": {"answer": "gold"},
        "metadata": {"level": "$.item.level"},
    }

    columns = ColumnMap.check(COLUMNS, mapping)

    assert parts(columns) == {
        "inputs": {"question": "2+2?"},
        "reference": {"answer": "4"},
        "metadata": {"level": 3},
    }
    assert columns.left_out(COLUMNS) == ["key", "metadata.q"]


def test_the_names_of_a_dataset_are_found_in_its_export():
    columns = ColumnMap.check(COLUMNS, {"inputs": ["q"], "metadata": ["q"], "key": "key"})

    assert (parts(columns)["inputs"], parts(columns)["metadata"]) == ({"q": "2+2?"}, {"q": "sums"})


def test_a_column_that_the_file_lacks_is_named_as_it_was_sent():
    with pytest.raises(Invalid) as refusal:
        ColumnMap.check(COLUMNS, {"inputs": ["nothing"]})

    assert refusal.value.code == "missing_column"
    assert "“nothing”" in refusal.value.message


def test_a_column_that_is_listed_keeps_its_name():
    columns = ColumnMap.check(COLUMNS, {"inputs": ["gold"], "metadata": ["inputs.q"]})

    assert parts(columns)["metadata"] == {"inputs.q": "2+2?"}


@pytest.mark.parametrize(
    "mapping",
    [
        {"inputs": {"level": "gold"}, "metadata": {"level": "$.item.level"}},
        {"inputs": {"level": "$.item.level"}, "metadata": {"level": "gold"}},
        {"metadata": {"gold": "$.item.level"}},
    ],
)
def test_a_path_has_a_name_of_its_own(mapping):
    with pytest.raises(Invalid) as refusal:
        ColumnMap.check(COLUMNS, mapping)

    assert refusal.value.code == "invalid_mapping"


def test_late_columns_of_an_export_find_their_part():
    first = ColumnMap(inputs=("q",), takes_remaining=True, renamed=(("inputs", "q", "inputs.q"),))

    columns = first.with_remaining(["inputs.q", "inputs.late", "other"])

    assert (columns.inputs, columns.metadata) == (("q", "late"), ("other",))
