"""A comparison as JSON."""

from typing import Any, NamedTuple

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evaluations.comparisons import notes
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.warnings import ABOUT_INTERVALS
from evaluations.datasets.counterparts import Counterparts
from evaluations.models import Dataset

from ..answers import Answer
from .comparison_entry import EntrySerializer
from .comparison_query import MISSING
from .comparison_sides import AnswersSerializer, MeasureSerializer, RankedSerializer, answered, measured
from .split import NamedSplitSerializer

AMBIGUOUS = 100  # ambiguous positions that are listed


class Matched(NamedTuple):
    """A version of another dataset, with its examples matched."""

    dataset: Dataset
    version: int
    matched: Counterparts


class FirstPositions(serializers.ListField):
    def to_representation(self, data: Any) -> list[Any]:
        positions: list[int] = data[:AMBIGUOUS].tolist()
        return positions


class ComparisonWarningSerializer(Answer):
    code = serializers.CharField()
    message = serializers.CharField()


class DesignEffect(serializers.FloatField):
    """Of the factor by which groups widen intervals: that of the variance."""

    def to_representation(self, value: Any) -> Any:
        return value**2


class IsDetected(serializers.BooleanField):
    """Of clusters: whether they were found, which gives a p."""

    def to_representation(self, value: Any) -> bool:
        return value.p is not None


class ClusterSerializer(Answer):
    column = serializers.CharField(source="figures.clusters.column")
    clusters = serializers.IntegerField(source="figures.clusters.count")
    design_effect = DesignEffect(source="figures.clusters.widening")
    detected = IsDetected(source="figures.clusters", help_text="False if the request names the column.")
    warnings = serializers.SerializerMethodField(help_text="The warnings about the width of intervals.")

    @extend_schema_field(ComparisonWarningSerializer(many=True))
    def get_warnings(self, comparison: Comparison) -> Any:
        return [warning for warning in comparison.warnings if warning["code"] in ABOUT_INTERVALS]


class ConditionSerializer(Answer):
    column = serializers.CharField()
    value = serializers.CharField()

    def to_representation(self, instance: Any) -> Any:
        column, value = instance
        return {"column": column, "value": value}


class FilteredSerializer(Answer):
    """The filter of the comparison: all figures are over the `examples` that match it."""

    metadata = ConditionSerializer(source="example_filter.metadata", many=True)
    split = NamedSplitSerializer(source="example_filter.split", allow_null=True)
    examples = serializers.IntegerField(source="figures.size")
    of = serializers.IntegerField(source="figures.full_size")

    def to_representation(self, instance: Any) -> Any:
        return super().to_representation(instance) if instance.example_filter else None


class AlignmentSerializer(Answer):
    """How the examples of another dataset were matched with the `examples` of the baseline's dataset.

    `changed` counts examples matched by key with other contents. `ambiguous` has the positions of the first hundred
    examples that are excluded because several have the same contents.
    """

    dataset = serializers.IntegerField(source="dataset.pk")
    version = serializers.IntegerField()
    examples = serializers.IntegerField(source="matched.examples")
    by_key = serializers.IntegerField(source="matched.by_key")
    changed = serializers.IntegerField(source="matched.changed")
    by_contents = serializers.IntegerField(source="matched.by_contents")
    left_out = serializers.IntegerField(source="matched.left_out")
    ambiguous = FirstPositions(source="matched.ambiguous", child=serializers.IntegerField())


class ComparisonSerializer(Answer):
    baseline = serializers.IntegerField(source="sides.baseline.run.pk")
    primary = serializers.IntegerField(
        source="evaluators.primary.pk", allow_null=True, help_text="The primary evaluator."
    )
    missing = serializers.ChoiceField(MISSING)
    cluster = serializers.SerializerMethodField()
    filtered = FilteredSerializer(source="*", allow_null=True)
    alignment = serializers.SerializerMethodField(
        help_text="How examples of different datasets were matched; empty if all runs are of one dataset.",
    )
    repeats = serializers.SerializerMethodField()
    sentence = serializers.CharField(source="sentence.text")
    remarks = serializers.SerializerMethodField(
        help_text="What stands below the sentence on the page, in one text: unanswered examples and unreadable "
        "answers, and the verdict without them if it is another one; secondary evaluators that disagree, cautions.",
    )
    warnings = ComparisonWarningSerializer(many=True)
    ranking = RankedSerializer(source="figures.ranking", many=True)
    answers = serializers.SerializerMethodField()
    entries = EntrySerializer(source="figures.numbered_entries", many=True)
    measures = serializers.SerializerMethodField()

    def get_remarks(self, comparison: Comparison) -> str:
        return notes.remarks(comparison)

    @extend_schema_field(AlignmentSerializer(many=True))
    def get_alignment(self, comparison: Comparison) -> Any:
        rows = [
            Matched(*version, matched) for version, matched in comparison.aligner.matched_datasets.items()
        ]
        return AlignmentSerializer(rows, many=True).data

    @extend_schema_field(ClusterSerializer(allow_null=True))
    def get_cluster(self, comparison: Comparison) -> Any:
        return ClusterSerializer(comparison).data if comparison.figures.clusters else None

    def get_repeats(self, comparison: Comparison) -> str | None:
        return "mean" if comparison.repeats else None

    @extend_schema_field(AnswersSerializer(many=True))
    def get_answers(self, comparison: Comparison) -> Any:
        """How many examples each variant answered."""
        return AnswersSerializer([*answered(comparison)], many=True).data

    @extend_schema_field(MeasureSerializer(many=True))
    def get_measures(self, comparison: Comparison) -> Any:
        """The answered share, latency and cost of each variant; none without scores."""
        return MeasureSerializer([*measured(comparison)], many=True).data
