import django.db.models.deletion
import evaluations.models.fields
from django.db import migrations, models


def choose_primaries(apps, schema_editor):
    """The first evaluator of every experiment decides from now on."""
    experiments, links = apps.get_model("evaluations", "Experiment"), apps.get_model("evaluations", "ExperimentEvaluator")
    first = links.objects.filter(experiment=models.OuterRef("pk")).order_by("pk")
    experiments.objects.update(primary_id=models.Subquery(first.values("evaluator_version__evaluator")[:1]))


class Migration(migrations.Migration):
    dependencies = [("evaluations", "0007_failed_import")]

    operations = [
        migrations.AddField("experiment", "margins", evaluations.models.fields.JSONTextField(default=dict)),
        migrations.AddField(
            "experiment",
            "primary",
            models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="evaluations.evaluator",
            ),
        ),
        migrations.RunPython(choose_primaries, migrations.RunPython.noop, elidable=True),
    ]
