
from django.db import migrations, models

from ._online import AddIndexOnline



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
