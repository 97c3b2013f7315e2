from django.db import migrations, models

from ._online import AddIndexOnline


class Migration(migrations.Migration):
    """Finds the outputs with an error, of which there are few, without reading all outputs of a run."""

    atomic = False
    dependencies = [("evaluations", "0008_verdict")]
    operations = [
        AddIndexOnline(
            "output",
            models.Index(
                fields=["run", "position"], condition=models.Q(error__isnull=False), name="output_error"
            ),
        ),
    ]
