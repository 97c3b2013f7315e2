"""The export that an experiment was imported from, with both tools' figures, as JSON."""

from typing import Any

from rest_framework import serializers

from ..answers import strings


class FiguresSerializer(serializers.Serializer[Any]):
    """Figures over `n` answers with a score or verdict; null if unknown."""

    n = serializers.IntegerField(allow_null=True)
    mean = serializers.FloatField(allow_null=True)
    pass_rate = serializers.FloatField(allow_null=True)


class LineSerializer(serializers.Serializer[Any]):
    """One grader over one variant ("" for all variants); `equal` is null if the tool's summary lacks the figure."""

    variant = serializers.CharField()
    grader = serializers.CharField()
    evaluator = serializers.IntegerField(source="evaluator.pk", default=None, allow_null=True)
    theirs = FiguresSerializer(source="tool_figures")
    ours = FiguresSerializer(source="evalsite_figures")
    equal = serializers.BooleanField(source="is_equal", allow_null=True)


class GraderSerializer(serializers.Serializer[Any]):
    """A grader of the tool, with the evaluator that replaces it, or the reason why only its scores are imported.

    `failed` answers have no output. With a `why`, the tool and the figures count them as not passed. Without one,
    the tool has no score for them, and the figures exclude them.
    """

    name = serializers.CharField()
    type = serializers.CharField()
    evaluator = serializers.IntegerField(allow_null=True)
    why = serializers.CharField()
    failed = serializers.IntegerField(default=0)


class SourceSerializer(serializers.Serializer[Any]):
    tool = serializers.CharField()
    version = serializers.CharField()
    filename = serializers.CharField()
    graders = GraderSerializer(many=True)
    figures = LineSerializer(many=True)
    notes = strings()
