"""A new database, and one that went through every migration of the earlier commits, are the same."""

import importlib
import pkgutil

import pytest

import evaluations.migrations as package
from tests.new_databases import new_database, run_python, schema

SQUASH = "0000_release_0_1_0"
# The squash stands beside the migrations that it replaces: this applies those instead.
ONE_AFTER_ANOTHER = """
import django
django.setup()
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

executor = MigrationExecutor(connection)
executor.loader = MigrationLoader(connection, replace_migrations=False)
squashes = {key for key, migration in executor.loader.disk_migrations.items() if migration.replaces}
executor.migrate([key for key in executor.loader.graph.leaf_nodes() if key not in squashes])
"""


@pytest.mark.slow
def test_the_squash_and_the_migrations_it_replaces_make_one_schema(tmp_path):
    with new_database(tmp_path) as short, new_database(tmp_path) as long:
        run_python("manage.py", "migrate", "--verbosity=0", url=short, folder=tmp_path)
        run_python("-c", ONE_AFTER_ANOTHER, url=long, folder=tmp_path)

        assert schema(short) == schema(long)
        assert "No migrations to apply" in run_python("manage.py", "migrate", url=long, folder=tmp_path)


def test_the_squash_replaces_every_migration_of_the_release():
    names = {module.name for module in pkgutil.iter_modules(package.__path__)} - {SQUASH}

    replaced = importlib.import_module(f"evaluations.migrations.{SQUASH}").Migration.replaces
    assert {name for _, name in replaced} == {name for name in names if name < "0064"}
