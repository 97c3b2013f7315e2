"""Bulk inserts and updates on the database of the tests."""

import pytest
from django.db import connection

from evaluations import bulk
from evaluations.imports.columns.columnmap import IMPORTED_FIELDS
from evaluations.models import Output

pytestmark = pytest.mark.django_db

ROWS = [
    (7, 1, "é\\\t\n\u2028🙂", False, None),
    (7, 2, '{"a": 1}', True, None),
    (7, 3, None, False, None),
    (7, 4, "", False, None),
]


def stored_rows() -> list[tuple]:
    return list(Output.objects.order_by("position").values_list(*IMPORTED_FIELDS))


def test_rows_arrive_as_they_were():
    bulk.insert(Output, IMPORTED_FIELDS, iter(ROWS))

    assert stored_rows() == ROWS


def test_a_duplicate_row_rolls_back_the_others():
    bulk.insert(Output, IMPORTED_FIELDS, ROWS[:1])

    with pytest.raises(bulk.DuplicateRow):
        bulk.insert(Output, IMPORTED_FIELDS, [*ROWS[1:], ROWS[0]])

    assert stored_rows() == ROWS[:1]


def test_long_texts_are_compressed_by_the_fastest_that_the_server_has():
    if connection.vendor != "postgresql":
        pytest.skip("SQLite compresses nothing")
    bulk.insert(Output, IMPORTED_FIELDS, [(7, 1, "the same words " * 1_000, False, None)])

    with connection.cursor() as cursor:
        cursor.execute("SELECT enumvals FROM pg_settings WHERE name = 'default_toast_compression'")
        methods = cursor.fetchone()[0]
        cursor.execute("SELECT pg_column_compression(text) FROM evaluations_output")
        assert cursor.fetchone()[0] == ("lz4" if "lz4" in methods else "pglz")


def test_between_two_slices_others_may_write(monkeypatch):
    bulk.insert(Output, IMPORTED_FIELDS, [(7, position, "", False, None) for position in range(1, 6)])
    gaps = []
    monkeypatch.setattr(bulk.time, "sleep", gaps.append)

    for behind in bulk.slices_from_the_end(Output.objects.all(), 2):
        Output.objects.filter(position__gt=behind).delete()

    assert not Output.objects.exists()
    # Waiting for SQLite's lock means polling every tenth of a second at most; PostgreSQL has a queue.
    assert gaps == ([0.1] * 3 if connection.vendor == "sqlite" else [])
