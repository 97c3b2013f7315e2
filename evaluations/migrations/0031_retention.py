from django.db import migrations, models

OWNED = (
    "connection",
    "dataset",
    "evaluator",
    "experiment",
    "gate",
    "launch",
    "prompt",
    "run",
    "split",
    "trial",
)


class Migration(migrations.Migration):

    dependencies = [
        ("evaluations", "0030_bulk_edits"),
    ]

    operations = [
        *(
            migrations.AddField(
                model_name=name,
                name="restored_at",
                field=models.DateTimeField(editable=False, null=True),
            )
            for name in OWNED
        ),
        migrations.AddField(
            model_name="dataset",
            name="used_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="project",
            name="delete_datasets_after_days",
            field=models.PositiveSmallIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="project",
            name="delete_runs_after_days",
            field=models.PositiveSmallIntegerField(null=True),
        ),
    ]
