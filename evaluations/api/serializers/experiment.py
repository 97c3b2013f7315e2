from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evaluations.models import Experiment

from ..fields import AnyJSON, Id, Name, Strict, Text
from .page import NoQuery
from .run import RunSerializer, UsedEvaluatorSerializer


@extend_schema_field(UsedEvaluatorSerializer(many=True))
class UsedEvaluators(AnyJSON):
    pass


@extend_schema_field(RunSerializer(many=True))
class Runs(AnyJSON):
    def to_representation(self, value: Any) -> Any:
        return RunSerializer(value, many=True).data


class ExperimentSerializer(serializers.ModelSerializer):
    dataset = serializers.IntegerField(source="dataset_id")
    evaluators = serializers.SerializerMethodField()

    class Meta:
        model = Experiment
        fields: tuple[str, ...] = (
            "id",
            "name",
            "dataset",
            "dataset_version",
            "evaluators",
            "baseline",
            "created_at",
        )
        read_only_fields = fields

    @extend_schema_field(UsedEvaluatorSerializer(many=True))
    def get_evaluators(self, experiment: Experiment) -> list[dict]:
        versions = [link.evaluator_version for link in experiment.evaluator_links.all()]
        return UsedEvaluatorSerializer(versions, many=True).data


class ExperimentDetailSerializer(ExperimentSerializer):
    runs = Runs(source="described_runs")

    class Meta(ExperimentSerializer.Meta):
        fields = (*ExperimentSerializer.Meta.fields, "runs")
        read_only_fields = fields


class NewExperimentSerializer(Strict):
    name = Name()
    dataset = Id()
    evaluators = serializers.ListField(child=Id(), max_length=100, required=False, default=list)


class ExperimentChangeSerializer(Strict):
    name = Name(required=False)
    baseline = Name(required=False, help_text="The variant that the others are compared with.")


class ExperimentEvaluatorsSerializer(Strict):
    evaluators = serializers.ListField(child=Id(), min_length=1, max_length=100)


class ComparedEvaluatorSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()


class EntrySerializer(serializers.Serializer):
    """One run against the baseline, by one evaluator; null where there is nothing to tell."""

    run = serializers.IntegerField()
    runs = serializers.ListField(
        child=serializers.IntegerField(), help_text="Several where `repeats` made one column of them."
    )
    variant = serializers.CharField()
    evaluator = ComparedEvaluatorSerializer()
    direction = serializers.ChoiceField(["maximize", "minimize"])
    mean = serializers.FloatField(allow_null=True)
    baseline_mean = serializers.FloatField(allow_null=True)
    n = serializers.IntegerField()
    only_run = serializers.IntegerField()
    only_baseline = serializers.IntegerField()
    missing = serializers.IntegerField()
    error = serializers.IntegerField()
    difference = serializers.FloatField(allow_null=True)
    interval = serializers.ListField(child=serializers.FloatField(), allow_null=True)
    interval_method = serializers.CharField(allow_null=True)
    effect_size = serializers.FloatField(allow_null=True)
    p = serializers.FloatField(allow_null=True)
    p_corrected = serializers.FloatField(allow_null=True)
    method = serializers.CharField(allow_null=True)
    reason = serializers.CharField(allow_null=True)
    seed = serializers.IntegerField(allow_null=True)
    wins = serializers.IntegerField()
    losses = serializers.IntegerField()
    ties = serializers.IntegerField()
    tie_tolerance = serializers.FloatField()
    smallest_detectable = serializers.FloatField(allow_null=True)
    verdict = serializers.ChoiceField(["better", "worse", "cannot_tell"])


class ComparisonWarningSerializer(serializers.Serializer):
    code = serializers.CharField()
    message = serializers.CharField()


class ComparisonSerializer(serializers.Serializer):
    baseline = serializers.IntegerField()
    cluster = serializers.CharField(allow_null=True)
    repeats = serializers.CharField(allow_null=True)
    sentence = serializers.CharField()
    warnings = ComparisonWarningSerializer(many=True)
    entries = EntrySerializer(many=True)


@extend_schema_field({"type": "string", "pattern": "^ *[0-9]{1,19} *(, *[0-9]{1,19} *)*$"})
class Ids(Text):
    """Ids with commas between; the view reads them."""


class ComparisonQuery(NoQuery):
    runs = Ids(help_text="Ids of runs, with commas between.")
    baseline = Text(required=False, help_text="The id of the run to compare with; else the first of `runs`.")
    cluster = Text(
        required=False, help_text="A metadata column: examples with one value there belong together."
    )
    repeats = serializers.ChoiceField(
        ["mean"],
        required=False,
        help_text="Take the runs of one variant for one: every example has its mean score over them.",
    )
