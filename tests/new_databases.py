"""Databases of a test's own beside the one of the suite, of the same make: SQLite, or PostgreSQL in one server."""

import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import psycopg
from psycopg.sql import SQL, Identifier

from tests.processes import ROOT


@contextmanager
def new_database(folder: Path) -> Iterator[str]:
    """The DATABASE_URL of an empty database."""
    server = os.environ.get("DATABASE_URL", "")
    name = f"own_{uuid4().hex}"
    if not server.startswith("postgres"):
        yield f"sqlite:///{folder / name}.sqlite3"
        return
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
        try:
            yield urlsplit(server)._replace(path=f"/{name}").geturl()
        finally:
            admin.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))


def run_python(*arguments: str, url: str, folder: Path, root: Path = ROOT) -> str:
    """Run Python in a checkout, `root`, on the database of this `url`, with data in `folder`; returns what it says."""
    variables = {
        "DATABASE_URL": url,
        "EVALSITE_DATA": str(folder),
        "DJANGO_SETTINGS_MODULE": "evalsite.settings",
        "PYTHONPATH": str(root),
    }
    done = subprocess.run(
        [sys.executable, *arguments], cwd=root, env=os.environ | variables, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def rows(url: str, query: str) -> list[Any]:
    """What a query answers in the database of this URL."""
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
            return connection.execute(query).fetchall()
    with psycopg.connect(url) as connection:
        return connection.execute(query).fetchall()


def columns(url: str) -> dict[str, list[str]]:
    """The columns of each table."""
    query = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'"
    if url.startswith("sqlite"):
        query = (
            "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'"
        )
    found: dict[str, list[str]] = {}
    for table, column in rows(url, query):
        found.setdefault(table, []).append(column)
    return found


def schema(url: str) -> list[Any]:
    """Each column, index and constraint of a database, in an order of their own."""
    if url.startswith("sqlite"):
        statements = rows(url, "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        return sorted((kind, name, *_parts(statement)) for kind, name, statement in statements)
    return sorted(
        row
        for query in (
            "SELECT table_name, column_name, data_type, character_maximum_length::text, is_nullable, column_default,"
            " collation_name, is_identity FROM information_schema.columns WHERE table_schema = 'public'",
            "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
            "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint"
            " WHERE connamespace = 'public'::regnamespace",
        )
        for row in map(_as_texts, rows(url, query))
    )


def _parts(statement: str) -> list[str]:
    """The definitions in a CREATE statement of SQLite, in an order of their own."""
    name, _, definitions = statement.partition("(")
    return [name, *sorted(re.split(r', (?="|CONSTRAINT)', definitions.removesuffix(")")))]


def _as_texts(row: tuple[Any, ...]) -> tuple[str, ...]:
    return tuple(map(str, row))
