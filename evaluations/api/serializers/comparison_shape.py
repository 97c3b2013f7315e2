"""Serializers that describe the JSON of a comparison in the API reference."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evaluations.results import filter_params

from ..fields import FlagText, Text
from .page import StackedQuery
from .split import NamedSplitSerializer

MISSING = ["worst", "exclude"]
VERDICTS = ["better", "worse", "cannot_tell"]
ABOUT_DIGEST = "Digest of `about`. Variants with the same name but different digests are different variants."


class ComparedEvaluatorSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    name = serializers.CharField()


class EntrySerializer(serializers.Serializer[Any]):
    """One run against the baseline, by one evaluator. Figures that cannot be computed are null; `reason` says why."""

    run = serializers.IntegerField()
    runs = serializers.ListField(
        child=serializers.IntegerField(), help_text="Several runs if `repeats` combined them."
    )
    variant = serializers.CharField()
    about_digest = serializers.CharField(help_text=ABOUT_DIGEST)
    evaluator = ComparedEvaluatorSerializer()
    role = serializers.ChoiceField(["primary", "secondary"])
    direction = serializers.ChoiceField(["maximize", "minimize"])
    mean = serializers.FloatField(allow_null=True)
    baseline_mean = serializers.FloatField(allow_null=True)
    n = serializers.IntegerField(help_text="The number of pairs, including those in `imputed`.")
    imputed = serializers.IntegerField(help_text="Pairs in which an unanswered example counts as worst.")
    only_run = serializers.IntegerField()
    only_baseline = serializers.IntegerField()
    missing = serializers.IntegerField()
    error = serializers.IntegerField()
    not_common = serializers.IntegerField(
        help_text="Pairs excluded because another ranked run has no score there."
    )
    difference = serializers.FloatField(allow_null=True)
    interval = serializers.ListField(
        child=serializers.FloatField(),
        allow_null=True,
        help_text=(
            "The joint 95 % interval of the family; it excludes zero exactly if the verdict is better or "
            "worse."
        ),
    )
    interval_single = serializers.ListField(
        child=serializers.FloatField(),
        allow_null=True,
        help_text="The 95 % interval for this comparison alone.",
    )
    interval_method = serializers.CharField(allow_null=True)
    effect_size = serializers.FloatField(allow_null=True)
    p = serializers.FloatField(allow_null=True, help_text="The p value for this comparison alone.")
    p_corrected = serializers.FloatField(allow_null=True, help_text="The p value, corrected for the family.")
    method = serializers.CharField(allow_null=True)
    reason = serializers.CharField(allow_null=True)
    seed = serializers.IntegerField(
        allow_null=True, help_text="Seed of the family's draws: a digest of its differences."
    )
    wins = serializers.IntegerField()
    losses = serializers.IntegerField()
    ties = serializers.IntegerField()
    tie_tolerance = serializers.FloatField()
    smallest_detectable = serializers.FloatField(allow_null=True)
    examples_needed = serializers.IntegerField(
        allow_null=True,
        help_text="How many more examples would decide with 80 % power, if the true difference is the margin, "
        "or without a margin the observed difference. Null if the verdict is clear, or if no number is "
        "enough.",
    )
    verdict = serializers.ChoiceField(VERDICTS, allow_null=True)
    margin = serializers.FloatField(allow_null=True, help_text="The smallest difference that matters.")
    equivalence = serializers.ChoiceField(["equivalent", "not_worse"], allow_null=True)


class LeadSerializer(serializers.Serializer[Any]):
    difference = serializers.FloatField(allow_null=True)
    interval = serializers.ListField(child=serializers.FloatField(), allow_null=True)


class RankedSerializer(serializers.Serializer[Any]):
    """A run's rank by the primary evaluator, over the examples that all ranked runs have."""

    run = serializers.IntegerField()
    variant = serializers.CharField()
    about_digest = serializers.CharField(help_text=ABOUT_DIGEST)
    mean = serializers.FloatField(allow_null=True)
    rank = serializers.ListField(
        child=serializers.IntegerField(), help_text="The best and the worst rank that the run can have."
    )
    group = serializers.CharField(help_text="There is no clear difference between runs that share a letter.")
    lead = LeadSerializer(allow_null=True, help_text="The difference to the next run.")


class AnswersSerializer(serializers.Serializer[Any]):
    run = serializers.IntegerField()
    answered = serializers.IntegerField()
    of = serializers.IntegerField()


class MeasureSerializer(serializers.Serializer[Any]):
    """A comparison of the answered share, the latency (ms) or the cost per answer (in the currency of the project).

    The baseline has only a mean.
    """

    run = serializers.IntegerField()
    measure = serializers.ChoiceField(["answers", "latency", "cost"])
    mean = serializers.FloatField(allow_null=True)
    mean_interval = serializers.ListField(
        child=serializers.FloatField(), allow_null=True, help_text="The 95 % interval of this mean alone."
    )
    difference = serializers.FloatField(allow_null=True)
    interval = serializers.ListField(child=serializers.FloatField(), allow_null=True)
    p = serializers.FloatField(allow_null=True)
    n = serializers.IntegerField(allow_null=True, help_text="The number of pairs.")
    verdict = serializers.ChoiceField(VERDICTS, allow_null=True)


class ComparisonWarningSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    message = serializers.CharField()


class ClusterSerializer(serializers.Serializer[Any]):
    column = serializers.CharField()
    clusters = serializers.IntegerField()
    design_effect = serializers.FloatField()
    detected = serializers.BooleanField(help_text="False if the request names the column.")
    warnings = ComparisonWarningSerializer(many=True, help_text="The warnings about the width of intervals.")


class ConditionSerializer(serializers.Serializer[Any]):
    column = serializers.CharField()
    value = serializers.CharField()


class FilteredSerializer(serializers.Serializer[Any]):
    """The filter of the comparison: all figures are over the `examples` that match it."""

    metadata = ConditionSerializer(many=True)
    split = NamedSplitSerializer(allow_null=True)
    examples = serializers.IntegerField()
    of = serializers.IntegerField()


class AlignmentSerializer(serializers.Serializer[Any]):
    """How the examples of another dataset were matched with the `examples` of the baseline's dataset.

    `changed` counts examples matched by key with other contents. `ambiguous` has the positions of the first hundred
    examples that are excluded because several have the same contents.
    """

    dataset = serializers.IntegerField()
    version = serializers.IntegerField()
    examples = serializers.IntegerField()
    by_key = serializers.IntegerField()
    changed = serializers.IntegerField()
    by_contents = serializers.IntegerField()
    left_out = serializers.IntegerField()
    ambiguous = serializers.ListField(child=serializers.IntegerField())


class ComparisonSerializer(serializers.Serializer[Any]):
    baseline = serializers.IntegerField()
    primary = serializers.IntegerField(allow_null=True, help_text="The primary evaluator.")
    missing = serializers.ChoiceField(["worst", "exclude"])
    filtered = FilteredSerializer(allow_null=True)
    alignment = AlignmentSerializer(
        many=True,
        help_text="How examples of different datasets were matched; empty if all runs are of one dataset.",
    )
    cluster = ClusterSerializer(allow_null=True)
    repeats = serializers.CharField(allow_null=True)
    sentence = serializers.CharField()
    remarks = serializers.CharField(
        allow_blank=True,
        help_text="What the sentence leaves out: secondary evaluators that disagree, subsets that differ, "
        "unanswered examples.",
    )
    warnings = ComparisonWarningSerializer(many=True)
    ranking = RankedSerializer(many=True)
    answers = AnswersSerializer(many=True)
    entries = EntrySerializer(many=True)
    measures = MeasureSerializer(many=True)


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
