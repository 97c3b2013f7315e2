"""A comparison as JSON, and the queries that ask for one."""

from typing import Any, NamedTuple

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evaluations.comparisons.alignment.sides import Side
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.warnings import ABOUT_INTERVALS
from evaluations.datasets.counterparts import Counterparts
from evaluations.experiments.about import digest
from evaluations.models import Dataset
from evaluations.results import filter_params
from evaluations.statistics.power import examples_to_decide
from evaluations.statistics.terms import Difference, Interval

from ..answers import Answer
from ..fields import FlagText, Text
from .page import StackedQuery
from .split import NamedSplitSerializer

MISSING = ["worst", "exclude"]
VERDICTS = ["better", "worse", "cannot_tell"]
ABOUT_DIGEST = "Digest of `about`. Variants with the same name but different digests are different variants."


AMBIGUOUS = 100  # ambiguous positions that are listed


class Matched(NamedTuple):
    """A version of another dataset, with its examples matched."""

    dataset: Dataset
    version: int
    matched: Counterparts


class Answered(NamedTuple):
    """How many examples a side answered."""

    side: Side
    answered: int
    of: int


class Measured(NamedTuple):
    """A measure of one side, and its difference from the baseline."""

    side: Side
    measure: str
    mean: float | None
    mean_interval: Interval | None
    paired: Difference | None


class AboutDigest(serializers.CharField):
    """The digest of a description of a variant."""

    def to_representation(self, value: Any) -> str:
        return digest(value)


class Pks(serializers.ListField):
    """The ids of objects."""

    def to_representation(self, data: Any) -> list[Any]:
        return [row.pk for row in data]


class ExamplesNeeded(serializers.IntegerField):
    """Of a difference, how many more examples would decide it."""

    def to_representation(self, value: Any) -> Any:
        return examples_to_decide(value)


class FirstPositions(serializers.ListField):
    def to_representation(self, data: Any) -> list[Any]:
        positions: list[int] = data[:AMBIGUOUS].tolist()
        return positions


class ComparedEvaluatorSerializer(Answer):
    id = serializers.IntegerField()
    name = serializers.CharField()


class FewGroupsSerializer(Answer):
    column = serializers.CharField()
    groups = serializers.IntegerField(help_text="The number of values.")
    interval = serializers.ListField(
        child=serializers.FloatField(), help_text="The 95 % interval with the groups as a sample."
    )


class EntrySerializer(Answer):
    """One run against the baseline, by one evaluator. Figures that cannot be computed are null; `reason` says why."""

    run = serializers.IntegerField(source="run.pk")
    runs = Pks(child=serializers.IntegerField(), help_text="Several runs if `repeats` combined them.")
    variant = serializers.CharField(source="run.variant")
    about_digest = AboutDigest(source="run.about", help_text=ABOUT_DIGEST)
    evaluator = ComparedEvaluatorSerializer()
    role = serializers.ChoiceField(["primary", "secondary"])
    direction = serializers.ChoiceField(["maximize", "minimize"], source="paired.direction")
    mean = serializers.FloatField(source="paired.mean", allow_null=True)
    baseline_mean = serializers.FloatField(source="paired.baseline_mean", allow_null=True)
    n = serializers.IntegerField(
        source="paired.n", help_text="The number of pairs, including those in `imputed`."
    )
    imputed = serializers.IntegerField(
        source="paired.imputed", help_text="Pairs in which an unanswered example counts as worst."
    )
    only_run = serializers.IntegerField(source="leftover.only_run")
    only_baseline = serializers.IntegerField(source="leftover.only_baseline")
    missing = serializers.IntegerField(source="leftover.missing")
    error = serializers.IntegerField(source="leftover.error")
    not_common = serializers.IntegerField(
        source="leftover.not_common",
        help_text="Pairs excluded because another ranked run has no score there.",
    )
    difference = serializers.FloatField(source="paired.difference", allow_null=True)
    interval = serializers.ListField(
        source="paired.interval",
        child=serializers.FloatField(),
        allow_null=True,
        help_text=(
            "The joint 95 % interval of the family; it excludes zero exactly if the verdict is better or "
            "worse."
        ),
    )
    interval_single = serializers.ListField(
        source="paired.interval_single",
        child=serializers.FloatField(),
        allow_null=True,
        help_text="The 95 % interval for this comparison alone.",
    )
    interval_method = serializers.CharField(source="paired.interval_method", allow_null=True)
    effect_size = serializers.FloatField(source="paired.effect_size", allow_null=True)
    p = serializers.FloatField(
        source="paired.p", allow_null=True, help_text="The p value for this comparison alone."
    )
    p_corrected = serializers.FloatField(
        source="paired.p_corrected", allow_null=True, help_text="The p value, corrected for the family."
    )
    method = serializers.CharField(source="paired.method", allow_null=True)
    reason = serializers.CharField(source="paired.reason", allow_null=True)
    seed = serializers.IntegerField(
        source="paired.seed",
        allow_null=True,
        help_text="Seed of the family's draws: a digest of its differences.",
    )
    wins = serializers.IntegerField(source="paired.wins")
    losses = serializers.IntegerField(source="paired.losses")
    ties = serializers.IntegerField(source="paired.ties")
    tie_tolerance = serializers.FloatField(source="paired.tie_tolerance")
    smallest_detectable = serializers.FloatField(source="paired.smallest", allow_null=True)
    examples_needed = ExamplesNeeded(
        source="paired",
        allow_null=True,
        help_text="How many more examples would decide with 80 % power, if the true difference is the margin, "
        "or without a margin the observed difference. Null if the verdict is clear, or if no number is "
        "enough.",
    )
    verdict = serializers.ChoiceField(VERDICTS, source="paired.verdict", allow_null=True)
    margin = serializers.FloatField(
        source="paired.margin", allow_null=True, help_text="The smallest difference that matters."
    )
    equivalence = serializers.ChoiceField(
        ["equivalent", "not_worse"], source="paired.equivalence", allow_null=True
    )
    overturned_by = serializers.IntegerField(
        source="paired.overturned_by",
        allow_null=True,
        help_text="How many unseen examples with the largest possible loss would change the verdict. Null without a "
        "clear verdict, for pass and fail, and for scores without a declared range.",
    )
    comparisons_made = serializers.IntegerField(
        allow_null=True,
        help_text="The number of this candidate among all whose outputs were ever compared on the dataset, from 1, "
        "also after runs were deleted. Null if it was not counted: the baseline's variant, and runs of before.",
    )
    p_online = serializers.FloatField(
        allow_null=True,
        help_text="The corrected p of the primary evaluator with all earlier comparisons taken into account: “better” "
        "is confirmed if it is at most 0.05. An information; the verdict does not depend on it.",
    )
    statistic = serializers.CharField(allow_null=True, help_text="The compared statistic; null for the mean.")
    few_groups = FewGroupsSerializer(
        allow_null=True,
        help_text="A metadata column of three to nine values under which the verdict would not survive if its values "
        "are a sample. Name it with `cluster` to use it.",
    )


class LeadSerializer(Answer):
    difference = serializers.FloatField(allow_null=True)
    interval = serializers.ListField(child=serializers.FloatField(), allow_null=True)


class RankedSerializer(Answer):
    """A run's rank by the primary evaluator, over the examples that all ranked runs have."""

    run = serializers.IntegerField(source="side.run.pk")
    variant = serializers.CharField(source="side.run.variant")
    about_digest = AboutDigest(source="side.run.about", help_text=ABOUT_DIGEST)
    mean = serializers.FloatField(allow_null=True)
    rank = serializers.ListField(
        child=serializers.IntegerField(), help_text="The best and the worst rank that the run can have."
    )
    group = serializers.CharField(help_text="There is no clear difference between runs that share a letter.")
    shrunken = serializers.FloatField(
        allow_null=True,
        help_text="The mean to expect on fresh examples, pulled towards the average of all ranked runs, because the "
        "best of several is partly lucky. Null for fewer than three runs.",
    )
    lead = LeadSerializer(allow_null=True, help_text="The difference to the next run.")


class AnswersSerializer(Answer):
    run = serializers.IntegerField(source="side.run.pk")
    answered = serializers.IntegerField()
    of = serializers.IntegerField()


class MeasureSerializer(Answer):
    """A comparison of the answered share, the latency (ms) or the cost per answer (in the currency of the project).

    The baseline has only a mean.
    """

    run = serializers.IntegerField(source="side.run.pk")
    measure = serializers.ChoiceField(["answers", "latency", "cost"])
    mean = serializers.FloatField(allow_null=True)
    mean_interval = serializers.ListField(
        child=serializers.FloatField(), allow_null=True, help_text="The 95 % interval of this mean alone."
    )
    difference = serializers.FloatField(source="paired.difference", allow_null=True)
    interval = serializers.ListField(
        source="paired.interval", child=serializers.FloatField(), allow_null=True
    )
    p = serializers.FloatField(source="paired.p_corrected", allow_null=True)
    n = serializers.IntegerField(source="paired.n", allow_null=True, help_text="The number of pairs.")
    verdict = serializers.ChoiceField(VERDICTS, source="paired.verdict", allow_null=True)


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
    column = serializers.CharField(source="clusters.column")
    clusters = serializers.IntegerField(source="clusters.count")
    design_effect = DesignEffect(source="clusters.widening")
    detected = IsDetected(source="clusters", help_text="False if the request names the column.")
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
    examples = serializers.IntegerField(source="size")
    of = serializers.IntegerField(source="full_size")

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
    baseline = serializers.IntegerField(source="baseline.run.pk")
    primary = serializers.IntegerField(
        source="primary.pk", allow_null=True, help_text="The primary evaluator."
    )
    missing = serializers.ChoiceField(["worst", "exclude"])
    cluster = serializers.SerializerMethodField()
    filtered = FilteredSerializer(source="*", allow_null=True)
    alignment = serializers.SerializerMethodField(
        help_text="How examples of different datasets were matched; empty if all runs are of one dataset.",
    )
    repeats = serializers.SerializerMethodField()
    sentence = serializers.CharField()
    remarks = serializers.CharField(
        allow_blank=True,
        help_text="What the sentence leaves out: secondary evaluators that disagree, subsets that differ, "
        "unanswered examples.",
    )
    warnings = ComparisonWarningSerializer(many=True)
    ranking = RankedSerializer(many=True)
    answers = serializers.SerializerMethodField()
    entries = EntrySerializer(source="numbered_entries", many=True)
    measures = serializers.SerializerMethodField()

    @extend_schema_field(AlignmentSerializer(many=True))
    def get_alignment(self, comparison: Comparison) -> Any:
        rows = [Matched(*version, matched) for version, matched in comparison.matched_datasets.items()]
        return AlignmentSerializer(rows, many=True).data

    @extend_schema_field(ClusterSerializer(allow_null=True))
    def get_cluster(self, comparison: Comparison) -> Any:
        return ClusterSerializer(comparison).data if comparison.clusters else None

    def get_repeats(self, comparison: Comparison) -> str | None:
        return "mean" if comparison.repeats else None

    @extend_schema_field(AnswersSerializer(many=True))
    def get_answers(self, comparison: Comparison) -> Any:
        """How many examples each variant answered."""
        if not comparison.primary:
            return []
        measures = comparison.measures
        rows = map(Answered, comparison.sides, measures.answered, measures.examples)
        return AnswersSerializer(rows, many=True).data

    @extend_schema_field(MeasureSerializer(many=True))
    def get_measures(self, comparison: Comparison) -> Any:
        """The cost, latency and tokens of each variant; none without scores."""
        rows = [
            Measured(
                side, measure.name, measure.means[index], measure.intervals[index], measure.comparisons[index]
            )
            for measure in (comparison.measures.measures if comparison.primary else [])
            for index, side in enumerate(comparison.sides)
        ]
        return MeasureSerializer(rows, many=True).data


@extend_schema_field({"type": "string", "pattern": "^ *[0-9]{1,19} *(, *[0-9]{1,19} *)*$"})
class Ids(Text):
    """Ids separated by commas; the view parses them."""


class ComparisonQuery(StackedQuery):
    is_stacked = staticmethod(filter_params.is_metadata)
    runs = Ids(
        help_text="Ids of runs, separated by commas. Add `metadata[<column>]=<value>` to compare only "
        "examples with this value. Values of slices work too, including those of `input length` and "
        "`reference length`."
    )
    split = Text(required=False, max_length=200, help_text="Only the examples of this split, by name or id.")
    baseline = Text(
        required=False, help_text="The id of the run to compare with. Default: the first of `runs`."
    )
    missing = serializers.ChoiceField(
        MISSING,
        required=False,
        help_text="Whether examples that a variant did not answer count as worst (the default) or are excluded.",
    )
    cluster = Text(
        required=False,
        help_text="`auto` (the default) looks for groups of related examples, `none` treats all examples as "
        "independent, the name of a metadata column groups examples by its values.",
    )
    repeats = serializers.ChoiceField(
        ["mean"],
        required=False,
        help_text="Combine the runs of one variant: each example gets its mean score over them.",
    )


class ComparisonExportQuery(ComparisonQuery):
    safe = FlagText(
        default=True, help_text="false: do not escape cells that a spreadsheet would run as formulas."
    )
    bom = FlagText(
        default=False, help_text="true: CSV begins with a byte order mark, so that Excel recognises UTF-8."
    )
