"""What leaves the site comes back as it was."""

import csv
import io
import json

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluations import datasets, exports
from evaluations.errors import Invalid
from tests import factories

pytestmark = pytest.mark.django_db


def written(stream) -> bytes:
    return b"".join(stream)


def test_every_row_of_a_run_is_exported_in_order(project):
    run = factories.scored_run(factories.experiment(project, "exact_match", "levenshtein_distance"))

    lines = list(csv.DictReader(io.StringIO(written(exports.of_run(run, "csv")).decode())))

    assert [(r["position"], r["key"], r["question"], r["answer"], r["output"]) for r in lines] == [
        ("1", "k1", "q1", "Paris", "Paris"),
        ("2", "k2", "q2", "Rome", "Lyon"),
        ("3", "k3", "q3", "Oslo", "Oslo"),
    ]
    assert [r["exact match"] for r in lines] == ["1.0", "0.0", "1.0"]
    assert [r["levenshtein distance"] for r in lines] == ["0.0", "4.0", "0.0"]
    assert [r["exact match status"] for r in lines] == ["scored"] * 3


def test_json_lines_carry_every_score_with_its_status(project):
    run = factories.scored_run(factories.experiment(project, "levenshtein_distance"), ("Paris", None, "Oslo"))

    rows = [json.loads(line) for line in written(exports.of_run(run, "jsonl")).splitlines()]

    assert [row["scores"]["levenshtein distance"]["status"] for row in rows] == [
        "scored",
        "missing_actual",
        "scored",
    ]
    assert rows[1]["scores"]["levenshtein distance"]["value"] is None
    assert rows[1]["output"] is None


def test_parquet_has_the_rows_of_the_csv(project):
    run = factories.scored_run(factories.experiment(project))

    table = pq.read_table(io.BytesIO(written(exports.of_run(run, "parquet"))))

    assert table.column("output").to_pylist() == ["Paris", "Lyon", "Oslo"]
    assert table.column("exact match").to_pylist() == [1.0, 0.0, 1.0]


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "＝1"])
def test_a_cell_that_a_spreadsheet_would_run_is_behind_an_apostrophe(project, cell):
    made = factories.dataset(project, [cell])

    assert f"'{cell}" in written(exports.of_dataset(made, "csv")).decode()
    assert f"'{cell}" not in written(exports.of_dataset(made, "csv", safe=False)).decode()
    assert f"'{cell}" not in written(exports.of_dataset(made, "jsonl")).decode()


def test_an_unknown_format_is_refused_with_those_there_are():
    with pytest.raises(Invalid, match="csv, jsonl, parquet"):
        exports.check("xls")


# NUL and lone surrogates cannot be stored; the import replaces them and says so.
TEXT = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), min_size=1, max_size=40)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(TEXT, min_size=1, max_size=4))
def test_a_dataset_that_is_exported_and_uploaded_again_has_the_same_texts(project, kind, texts):
    made = factories.dataset(project, texts, name=f"texts {kind} {datasets.Dataset.objects.count()}")

    file = written(exports.of_dataset(made, kind, safe=False))
    mapping = {"inputs": ["question"], "reference": ["answer"], "key": "key"}
    again = factories.imported(project, file, f"again.{kind}", mapping, name=f"{made.name} again")

    assert again.status == "ready", again.errors
    assert [json.loads(e.reference)["answer"] for e in datasets.examples(again)] == texts
