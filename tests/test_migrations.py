"""No migration after the first blocks a site with a million rows for longer than a moment.

A nullable column is added without touching a row, on both databases; anything else rewrites a table on one of them, or
holds a lock for as long as that takes. Indexes are created concurrently.
"""

import importlib
import pkgutil

import pytest
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.migrations.operations.base import Operation

import evaluations.migrations as package

LARGE = {"example", "output", "block", "embedding"}  # tables that grow with users' rows
# These affect experiments, versions of datasets, mappings, jobs or sessions, of which a site has thousands at most.
SMALL = {
    "0008_verdict",
    "0018_dataset_imports",
    "0032_saved_mappings",
    "0039_job_turns",
    "0046_signing_in",
    "0074_experiments_that_scores_decide",
}
NEW = ("0001_initial", "0000_release_0_1_0")  # these run on empty databases only
LATER = [
    module.name
    for module in pkgutil.iter_modules(package.__path__)
    if module.name[:1].isdigit() and module.name not in NEW
]


def is_safe(operation: Operation) -> bool:
    """Whether it takes only a moment on any number of rows."""
    table = getattr(operation, "model_name", None) or getattr(operation, "name", "")
    if isinstance(operation, migrations.RunSQL | migrations.RunPython):
        return False  # A migration that needs one must show how long it takes, and be added here by name.
    if table.lower() not in LARGE or isinstance(operation, migrations.CreateModel | AddIndexConcurrently):
        return True
    if isinstance(operation, migrations.AddField):
        field = operation.field
        return field.null and not field.has_default() and not field.unique and not field.db_index
    return isinstance(operation, migrations.RemoveIndex | migrations.AlterModelOptions)


@pytest.mark.parametrize("name", LATER)
def test_a_migration_takes_a_moment_on_a_million_rows(name):
    migration = importlib.import_module(f"evaluations.migrations.{name}").Migration

    slow = [operation for operation in migration.operations if not is_safe(operation)]
    assert [
        operation
        for operation in slow
        if name not in SMALL or not isinstance(operation, migrations.RunPython)
    ] == []


@pytest.mark.parametrize(
    ("operation", "safe"),
    [
        (migrations.AddField("Output", "cost", models.FloatField(null=True)), True),
        (migrations.AddField("Output", "cost", models.FloatField(default=0)), False),
        (migrations.AddField("Output", "cost", models.FloatField(null=True, db_index=True)), False),
        (migrations.AlterField("Example", "key", models.TextField(null=True)), False),
        (migrations.RemoveField("Block", "notes"), False),
        (migrations.AddIndex("Output", models.Index(fields=["tokens"], name="slow")), False),
        (AddIndexConcurrently("Output", models.Index(fields=["tokens"], name="fast")), True),
        (migrations.AddField("Project", "note", models.TextField(default="")), True),
        (migrations.RunSQL("UPDATE evaluations_output SET tokens = 0"), False),
    ],
)
def test_migrations_that_rewrite_or_lock_a_large_table_are_noticed(operation, safe):
    assert is_safe(operation) is safe
