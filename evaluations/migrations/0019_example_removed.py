from importlib import import_module

from django.db import migrations, models

AddIndexOnline = import_module("evaluations.migrations.0009_output_error").AddIndexOnline


class Migration(migrations.Migration):
    """Finds what versions removed, of which there is little, without reading all examples of a dataset."""

    atomic = False
    dependencies = [("evaluations", "0018_dataset_imports")]
    operations = [
        AddIndexOnline(
            "example",
            models.Index(
                fields=["dataset", "removed_in"],
                condition=models.Q(removed_in__isnull=False),
                name="example_removed",
            ),
        ),
    ]
