"""Rows that an import left out: counted before the confirmation, stored with their cells, downloadable."""

import csv
import io
import json

import pytest
from django.core.files.base import File
from django.core.files.storage import default_storage

from evaluations.imports import forecasts, refused_rows
from evaluations.imports.columns.columnmap import ColumnMap
from evaluations.imports.uploads import uploads
from tests import factories
from tests.factories import imported

pytestmark = pytest.mark.django_db
RAGGED = 'id,question,answer\na,1+1,2\nb,only two\nc,"quoted" text,3\na,1+1 again,2\nd,=2+2,4,more\ne,2+3,5\n'
MAPPING = {"inputs": ["question"], "reference": ["answer"], "key": "id"}


def rows_of(dataset) -> list[tuple[int, str, list[str]]]:
    kept = dataset.refused_rows.values_list("line", "code", "cells")
    return [
        (line, code, [*cells.values()] if isinstance(cells, dict) else cells) for line, code, cells in kept
    ]


def test_every_kind_of_refused_row_is_kept_with_its_cells(project):
    dataset = imported(project, RAGGED, "rows.csv", MAPPING, on_error="skip")

    assert dataset.example_count == 2
    assert dataset.error_count == 4
    assert rows_of(dataset) == [
        (3, "csv_field_count", ["b", "only two"]),
        (4, "csv_text_after_quote", ["c", '"quoted" text', "3"]),
        (5, "duplicate_key", ["a", "1+1 again", "2"]),
        (6, "csv_field_count", ["d", "=2+2", "4", "more"]),
    ]


def test_a_refused_line_of_json_is_kept_as_it_stands(project):
    dataset = imported(project, '{"id": 1, "input": "x"}\n{"id": 2,\n[3]\n', mapping=None, on_error="skip")

    assert [(line, cells) for line, _, cells in rows_of(dataset)] == [(2, ['{"id": 2,']), (3, ["[3]"])]


def test_refused_rows_have_bounds(project):
    rows = "".join(f"only one {n}\n" for n in range(1_500))
    long_rows = "".join(f"{'x' * 900_000}\n" for _ in range(6))

    dataset_of_many = imported(project, f"a,b\n1,2\n{rows}", "many.csv", on_error="skip", name="many")
    large = imported(project, f"a,b\n1,2\n{long_rows}", "large.csv", on_error="skip", name="large")

    assert (dataset_of_many.error_count, dataset_of_many.refused_rows.count()) == (1_500, 1_000)
    assert (large.error_count, large.refused_rows.count()) == (6, 4)


def test_the_refused_rows_of_a_rejected_file_are_kept_too(project):
    dataset = imported(project, RAGGED, "rows.csv", MAPPING)

    assert dataset.status == "failed"
    assert [line for line, *_ in rows_of(dataset)] == [3, 4, 5, 6]


def test_objects_that_lack_a_field_keep_the_names_of_their_cells(project):
    rows = '{"id": 1, "note": "n", "q": "x"}\n{"id": 1, "q": "again"}\n'
    dataset = imported(project, rows, mapping={"key": "id", "inputs": ["q"]}, on_error="skip")

    assert dataset.refused_rows.get().cells == {"id": "1", "q": "again"}


def test_as_csv_they_are_a_table_that_no_spreadsheet_runs(project):
    dataset = imported(project, RAGGED, "rows.csv", MAPPING, on_error="skip")

    file = b"".join(refused_rows.as_file(refused_rows.of_last_import(dataset), "csv")).decode()
    rows = list(csv.DictReader(io.StringIO(file)))

    assert list(rows[0]) == ["id", "question", "answer", "cell_4", "line", "code", "error"]
    assert [row["line"] for row in rows] == ["3", "4", "5", "6"]
    assert rows[3]["question"] == "'=2+2"
    assert "4 fields" in rows[3]["error"]


def test_as_json_lines_cells_are_lists(project):
    dataset = imported(project, RAGGED, "rows.csv", MAPPING, on_error="skip")

    lines = b"".join(refused_rows.as_file(refused_rows.of_last_import(dataset), "jsonl")).splitlines()

    assert json.loads(lines[0])["cells"] == ["b", "only two"]
    assert set(json.loads(lines[0])) == {"line", "code", "message", "cells"}


# ---- before anything is stored -------------------------------------------------------------------------------


def forecast(project, content: str, dataset=None) -> forecasts.Forecast:
    upload = uploads.park(project, None, File(io.BytesIO(content.encode()), name="rows.csv"))
    columns = ColumnMap.check(uploads.preview(upload).columns, MAPPING)
    return forecasts.forecast(upload, columns, dataset)


def test_keys_that_come_twice_are_counted_before_the_import(project):
    outlook = forecast(project, RAGGED)

    assert (outlook.readable, outlook.unreadable, outlook.twice, outlook.in_dataset) == (3, 3, 1, 0)
    assert outlook.first == [5]
    assert outlook.repeats == ["Line 5: the key “a” is on line 2 already"]


def test_rows_that_repeat_a_key_are_no_ground_of_the_advice(project):
    rows = "".join(
        f"{key},x,{city}\n" for key, city in zip("abcaba", ["Rome", "Oslo", "Lima"] * 2, strict=True)
    )

    outlook = forecast(project, f"id,question,answer\n{rows}")

    assert outlook.advice is not None
    assert "the 3 references" in outlook.advice.reason


def test_keys_that_the_dataset_has_are_counted_before_the_import(project):
    dataset = factories.dataset(project)  # With the keys k1, k2 and k3.

    outlook = forecast(project, "id,question,answer\nk1,x,y\nk9,x,y\nk1,x,y\n,x,y\n", dataset)

    assert (outlook.rows, outlook.twice, outlook.in_dataset) == (4, 1, 1)
    assert [said.split(" is ")[1] for said in outlook.repeats] == [
        "in the dataset already",
        "on line 2 already",
    ]


def test_a_file_that_breaks_off_says_where_before_the_import(project):
    outlook = forecast(project, "id,question,answer\n" + "a,b,c\n" * 3_000 + 'x,"never closed,y\n')

    assert outlook.rows == 3_000
    assert outlook.broken.code == "csv_unclosed_quote"
    assert "3002" in outlook.broken.message


def test_a_forecast_is_of_the_same_first_rows_each_time(project, monkeypatch):
    monkeypatch.setattr(forecasts, "LOOKED_AT", 1_500)
    content = "id,question,answer\n" + "".join(f"{n},{'b' * 200},c\n" for n in range(9_000))

    first, second = forecast(project, content), forecast(project, content)

    assert first == second
    assert (first.whole, 1_500 <= first.rows < 9_000) == (False, True)


def test_a_forecast_is_kept_with_the_parked_file(project):
    upload = factories.parked(project, RAGGED, "rows.csv")
    columns = ColumnMap.check(uploads.preview(upload).columns, MAPPING)
    first = forecasts.forecast(upload, columns)
    default_storage.delete(upload.stored_as)

    assert forecasts.forecast(upload, columns) == first


def test_the_forecast_agrees_with_the_import(project):
    outlook = forecast(project, RAGGED)
    dataset = imported(project, RAGGED, "rows.csv", MAPPING, on_error="skip")

    assert dataset.example_count == outlook.readable - outlook.twice
    assert dataset.error_count == outlook.refused


def test_the_columns_about_a_refused_row_have_free_names(project):
    rows = "id,error,question\na,x,1+1\na,y,1+2\n"
    dataset = imported(project, rows, "rows.csv", {"inputs": ["question"], "key": "id"}, on_error="skip")

    text = b"".join(refused_rows.as_file(refused_rows.of_last_import(dataset), "csv")).decode()

    assert next(csv.reader(io.StringIO(text)))[-4:] == ["question", "line", "code", "error (2)"]
