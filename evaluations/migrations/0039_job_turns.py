import django.db.models.deletion
from django.db import migrations, models
from django.db.models import F, OuterRef, Subquery


def fill(apps, schema_editor):
    """The kind, project and turn of existing jobs."""
    job, run = apps.get_model("evaluations", "Job"), apps.get_model("evaluations", "Run")
    project = Subquery(run.objects.filter(pk=OuterRef("run")).values("project")[:1])
    job.objects.update(project=project, turn=F("id"))
    for kind in ("connection", "generate"):
        job.objects.filter(lane__startswith=f"{kind}:").update(kind=kind)


class Migration(migrations.Migration):
    dependencies = [("evaluations", "0038_frozen_prices")]
    operations = [
        migrations.RemoveIndex(model_name="job", name="job_state"),
        migrations.AddField("job", "kind", models.CharField(default="text", max_length=20)),
        migrations.AddField(
            "job",
            "project",
            models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="evaluations.project",
            ),
        ),
        migrations.AddField("job", "ready_at", models.DateTimeField(null=True)),
        migrations.AddField("job", "turn", models.BigIntegerField(default=0)),
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
    ]
