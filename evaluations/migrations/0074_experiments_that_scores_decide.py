from django.db import migrations
from django.db.models import F


def settle(apps, schema_editor):
    """Of experiments without a primary evaluator, the first that gave one of its runs numbers decides, as from now on."""
    models = {name: apps.get_model("evaluations", name) for name in ("Experiment", "Run", "Scoring")}
    scorings = models["Scoring"].objects.filter(
        run__deleted_at=None, evaluator_version__evaluator__deleted_at=None, summary__isnull=False
    )
    for experiment in models["Experiment"].objects.filter(primary=None, deleted_at=None):
        found = scorings.filter(run__experiment=experiment).order_by("pk").select_related("evaluator_version")
        versions = (scoring.evaluator_version for scoring in found)
        decides = next((version.evaluator_id for version in versions if can_decide(version)), None)
        if decides:
            models["Experiment"].objects.filter(pk=experiment.pk).update(primary=decides)
    scored = scorings.values("run")
    models["Run"].objects.filter(pk__in=scored, status="completed", finished_at=None).update(finished_at=F("created_at"))


def can_decide(version):
    """As `scoring.deciding` when this was written: numbers, and no labels for reading."""
    if version.kind != "people":
        return True
    has_words_alone = version.config.get("answers") == "labels" and "=" not in (version.config.get("labels") or "")
    return version.config.get("purpose") != "reading" and not has_words_alone


class Migration(migrations.Migration):

    dependencies = [
        ('evaluations', '0073_figures_of_an_earlier_version'),
    ]

    operations = [migrations.RunPython(settle, migrations.RunPython.noop)]
