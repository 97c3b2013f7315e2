"""Rows of raters are one row for each answer, so that two raters are not two examples."""

import csv
import io

import pytest

from evaluations import ingest

NAMES = ("id", "question", "model", "answer", "annotator", "rating", "comment")


def rating(n, model, who):
    number = 1 + (n * 7 + len(model) + (who == "ben") * n) % 5
    comment = f"{who} on {n}" if n % 4 == 0 else ""
    return [n, f"What is {n}?", model, f"{model} says {n}.", who, number, comment]


def seen(rows):
    text = io.StringIO()
    csv.writer(text).writerows([NAMES, *rows])
    return ingest.preview(io.BytesIO(text.getvalue().encode()), "rated.csv", limits=ingest.Limits())


BY_ANSWER = [rating(n, model, who) for n in range(40) for model in ("old", "new") for who in ("ann", "ben")]
BY_RATER = sorted(BY_ANSWER, key=lambda row: row[4])


@pytest.mark.parametrize("rows", [BY_ANSWER, BY_RATER], ids=["answer by answer", "rater by rater"])
def test_the_raters_of_an_answer_are_columns_of_one_row(rows):
    preview = seen(rows)

    assert preview.row_count == 80
    first = next(row for row in preview.rows if row["id"] == "3" and row["model"] == "old")
    assert (first["rating rater 1"], first["rating rater 2"]) == (
        str(rating(3, "old", "ann")[5]),
        str(rating(3, "old", "ben")[5]),
    )
    assert "comment" not in first
    [warning] = [one for one in preview.warnings if one.code == "rows_of_raters"]
    assert "annotator" in warning.message


def test_a_rater_who_rates_an_answer_twice_rates_two_answers():
    preview = seen([*BY_ANSWER[:-1], BY_ANSWER[0]])

    assert preview.row_count == 160


@pytest.mark.parametrize(
    "rows",
    [
        [row for row in BY_ANSWER if row[4] == "ann"],
        [row for row in BY_ANSWER if (row[0] % 2 == 0) == (row[4] == "ann")],
    ],
    ids=["one rater", "each rates other answers"],
)
def test_rows_of_different_answers_stay_as_they_are(rows):
    preview = seen(rows)

    assert preview.row_count == 80
    assert "rating" in preview.columns


def test_the_first_rows_of_a_large_file_rater_by_rater_are_shown():
    many = [rating(n, model, who) for n in range(600) for model in ("old", "new") for who in ("ann", "ben")]
    rows = [*BY_RATER, *sorted(([row[0] + 40, *row[1:]] for row in many), key=lambda row: row[4])]
    preview = seen(rows)

    assert preview.rows
    assert preview.row_count is None
