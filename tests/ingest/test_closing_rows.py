"""Rows below a table that sum it up are no examples, in sheets and in text, and are told."""

import pytest

from .test_workbook import book, preview

HEADER = ["id", "question", "answer", "score"]
ROWS = [[f"q{number}", f"Why {number}?", "so", number % 5] for number in range(12)]


def csv(rows: list[list[object]]) -> bytes:
    return "\n".join(",".join("" if cell is None else str(cell) for cell in row) for row in rows).encode()


@pytest.mark.parametrize(
    "last", [["Average", None, None, 1.83], [None, None, "Durchschnitt:", 1.8], ["Total (12)"]]
)
@pytest.mark.parametrize(("written", "name"), [(book, "book.xlsx"), (csv, "rows.csv")])
def test_a_row_that_sums_up_is_left_out_and_told(last, written, name):
    row = last + [None] * (len(HEADER) - len(last))

    read = preview(written([HEADER, *ROWS, row]), name)

    assert read.row_count == 12
    assert [row["id"] for row in read.rows][-1] == "q11"
    assert [warning.code for warning in read.warnings] == ["closing_rows"]


def test_a_sum_and_a_mean_below_it_are_left_out():
    read = preview(csv([HEADER, *ROWS, ["Sum", None, None, 22], ["in %", None, None, 1.83]]), "rows.csv")

    assert read.row_count == 12


@pytest.mark.parametrize(
    "last", [["Total", "What is the total?", "so", 3], ["q12", None, None, 4], ["Totals matter", "Why?"]]
)
def test_an_example_in_the_last_row_is_kept(last):
    row = last + [None] * (len(HEADER) - len(last))

    assert preview(csv([HEADER, *ROWS, row]), "rows.csv").row_count == 13


def test_the_last_of_the_rows_of_a_bill_is_kept():
    rows = [["Net", "5", "5"], ["Tax", "2", "1"], ["Shipping", "3", "3"], ["Total", "10", "10"]]

    assert preview(csv([["field", "answer", "output"], *rows]), "rows.csv").row_count == 4


def test_a_row_of_empty_cells_above_them_is_left_out_with_them():
    read = preview(
        csv([HEADER, *ROWS, [None] * len(HEADER), ["TOTAL A / B", None, None, "3 / 9"]]), "rows.csv"
    )

    assert read.row_count == 12
