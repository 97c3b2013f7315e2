"""Helpers that make stored objects older, and run the sweep of retention."""

from datetime import timedelta

from django.db import models
from django.db.models import F

from evaluations.models import Pulse, Run
from evaluations.upkeep import purging, retention, uses

RUNS_AFTER_90 = {"delete_runs_after_days": 90}
DATASETS_AFTER_180 = {"delete_datasets_after_days": 180}
SIZE = [{"rule": "examples", "value": 1}]  # criteria of a gate


def days_pass(days: int) -> None:
    """Make everything in the database this many days older."""
    for model in {Pulse, *(model for model, _, _ in uses.OF_DATASETS)}:
        times = [field.name for field in model._meta.fields if isinstance(field, models.DateTimeField)]
        model.objects.update(**{name: F(name) - timedelta(days=days) for name in times})


def sweep() -> None:
    """Sweep as if the last sweep were ten minutes ago."""
    Pulse.objects.filter(name=retention.CHORE).delete()
    purging.purge()


def live_runs() -> list[str]:
    return list(Run.objects.live().order_by("pk").values_list("variant", flat=True))
