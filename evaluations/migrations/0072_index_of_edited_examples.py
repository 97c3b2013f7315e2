from django.db import migrations, models

from ._online import AddIndexOnline


class Migration(migrations.Migration):
    """Finds the edited examples of a dataset, of which there are few, without reading all of them."""

    atomic = False
    dependencies = [("evaluations", "0071_tie_tolerances_of_an_experiment")]
    operations = [
        AddIndexOnline(
            "example",
            models.Index(
                fields=["dataset", "origin"],
                condition=models.Q(origin__isnull=False),
                name="example_edited",
            ),
        ),
    ]
