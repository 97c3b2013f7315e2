"""Measures the disk space of scores."""

import sqlite3
from contextlib import closing
from pathlib import Path

from django.db import connection

from evaluations.models import Block


def of_scores(data_folder: Path) -> int:
    """Bytes of the table of blocks with its indexes; with SQLite, of the site in `data_folder`."""
    table = Block._meta.db_table
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_total_relation_size(%s)", [table])
            return int(cursor.fetchone()[0])
    with closing(sqlite3.connect(data_folder / "evalsite.sqlite3")) as database:
        names = "SELECT name FROM sqlite_schema WHERE tbl_name = ?"
        pages = f"SELECT sum(pgsize) FROM dbstat WHERE name IN ({names})"
        return int(database.execute(pages, [table]).fetchone()[0])
