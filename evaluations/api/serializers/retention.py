"""Retention settings, and what they delete, as JSON."""

from typing import Any

from rest_framework import serializers

from evaluations.upkeep.retention import MOST_DAYS

from ..fields import IntegerText, Number, Strict
from .page import NoQuery

RUNS = "Evalsite deletes runs that ended this many days ago."
DATASETS = "Evalsite deletes datasets that were not used for this many days."


class AgedDatasetSerializer(serializers.Serializer[Any]):
    """`reason` says why the dataset is kept; empty if it is deleted."""

    id = serializers.IntegerField(source="target.pk")
    name = serializers.CharField(source="target")
    last_used = serializers.DateTimeField()
    reason = serializers.CharField()


class AgedRunSerializer(AgedDatasetSerializer):
    """`reason` says why the run is kept; empty if it is deleted."""

    experiment = serializers.CharField(source="target.experiment.name")


class RunRetentionSerializer(serializers.Serializer[Any]):
    """What the rule deletes now, and the old runs that it keeps, with the first ten of each, oldest first."""

    days = serializers.IntegerField()
    count = serializers.IntegerField()
    first = AgedRunSerializer(many=True)
    kept = serializers.IntegerField(source="kept_count")
    first_kept = AgedRunSerializer(many=True)
    next_at = serializers.DateTimeField(
        source="survey.next_at", allow_null=True, help_text="When the next object becomes due for deletion."
    )


class DatasetRetentionSerializer(RunRetentionSerializer):
    """The same for datasets. Their `experiments` and `runs` are deleted with them."""

    first = AgedDatasetSerializer(many=True)  # type: ignore[assignment] # not those of runs
    first_kept = AgedDatasetSerializer(many=True)  # type: ignore[assignment]
    experiments = serializers.IntegerField()
    runs = serializers.IntegerField()


class RetentionSerializer(serializers.Serializer[Any]):
    """The settings (null if a rule is off), and what they delete."""

    delete_runs_after_days = serializers.IntegerField(allow_null=True, help_text=RUNS)
    delete_datasets_after_days = serializers.IntegerField(allow_null=True, help_text=DATASETS)
    runs = RunRetentionSerializer(allow_null=True)
    datasets = DatasetRetentionSerializer(allow_null=True)


class DaysText(IntegerText):
    def __init__(self, **options: Any):
        super().__init__(required=False, min_value=1, max_value=MOST_DAYS, **options)


class RetentionQuery(NoQuery):
    delete_runs_after_days = DaysText(help_text="Preview these days instead of the stored setting.")
    delete_datasets_after_days = DaysText(help_text="Preview these days instead of the stored setting.")


class RetentionChangeSerializer(Strict):
    delete_runs_after_days = Number(
        allow_null=True, max_value=MOST_DAYS, help_text=f"{RUNS} null turns the rule off."
    )
    delete_datasets_after_days = Number(
        allow_null=True, max_value=MOST_DAYS, help_text=f"{DATASETS} null turns the rule off."
    )
