from rest_framework import serializers

from .comparison import ComparisonQuery, ComparisonSerializer


class ReportQuery(ComparisonQuery):
    format = serializers.ChoiceField(["html", "json"], default="html")


class RegressionSerializer(serializers.Serializer):
    """An example on which a run lost against the baseline; texts are cut at 3 000 characters."""

    position = serializers.IntegerField()
    key = serializers.CharField(allow_null=True)
    run = serializers.IntegerField()
    variant = serializers.CharField()
    gain = serializers.FloatField(help_text="Negative.")
    input = serializers.CharField()
    reference = serializers.CharField()
    baseline_output = serializers.CharField()
    output = serializers.CharField()


class ReportSourceSerializer(serializers.Serializer):
    """What the report rests on."""

    kind = serializers.CharField(help_text="dataset, run, evaluator or prompt.")
    name = serializers.CharField()
    words = serializers.CharField()
    sha256 = serializers.CharField(help_text="Empty where there are more than a million rows.")


class ReportSerializer(serializers.Serializer):
    """What the HTML file says, as data."""

    comparison = ComparisonSerializer()
    made_at = serializers.DateTimeField()
    regressed = serializers.IntegerField(help_text="Examples on which a run is worse than the baseline.")
    regressions = RegressionSerializer(many=True, help_text="At most 10.")
    sources = ReportSourceSerializer(many=True)
    software = serializers.DictField(child=serializers.CharField())
    methods = serializers.ListField(child=serializers.CharField())
