import django.db.models.deletion
from django.db import migrations, models

IS_OPEN = models.Q(("state", "open"))


class Migration(migrations.Migration):
    dependencies = [("evaluations", "0039_job_turns")]
    operations = [
        migrations.AlterField(
            "job",
            "project",
            models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="evaluations.project",
            ),
        ),
        migrations.CreateModel(
            name="Share",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(max_length=20)),
                ("served", models.BigIntegerField(default=0)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="evaluations.project",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["kind", "served", "id"], name="share_served")],
                "constraints": [models.UniqueConstraint(fields=("kind", "project"), name="share_once")],
            },
        ),
        migrations.AddIndex(
            "chunk",
            models.Index(
                condition=models.Q(("token", ""), _negated=True), fields=["lease_until"], name="chunk_leased"
            ),
        ),
        migrations.AddIndex(
            "job", models.Index(condition=IS_OPEN, fields=["kind", "turn", "id"], name="job_turn")
        ),
        migrations.AddIndex(
            "job",
            models.Index(condition=IS_OPEN, fields=["project", "kind", "turn"], name="job_turn_of_project"),
        ),
        migrations.AddIndex(
            "job",
            models.Index(condition=IS_OPEN, fields=["project", "kind", "total", "id"], name="job_smallest"),
        ),
    ]
