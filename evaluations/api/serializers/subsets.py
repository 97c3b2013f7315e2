"""The subsets of a comparison as JSON."""

from collections.abc import Sequence
from typing import Any

from rest_framework import serializers

from evaluations.comparisons import subsets
from evaluations.comparisons.comparison import Comparison
from evaluations.models import Evaluator
from evaluations.numerals import grouped
from evaluations.statistics.subsets import Subset
from evaluations.statistics.terms import Direction

from ..fields import Text
from .comparison_shape import VERDICTS, ComparedEvaluatorSerializer, ComparisonQuery, FilteredSerializer

MOST_SUBSETS = 1_000  # subsets in one answer; the most important come first


def as_dict(comparison: Comparison, evaluator: Evaluator | None) -> dict[str, Any]:
    """The answer of `comparisons/slices/`; `evaluator` is None if nothing is scored."""
    search = subsets.search(comparison, evaluator)
    return {
        "baseline": comparison.baseline.run.pk,
        "evaluator": evaluator and {"id": evaluator.pk, "name": evaluator.name},
        "direction": evaluator and comparison.direction(evaluator.pk),
        "missing": comparison.missing,
        "filtered": FilteredSerializer().to_representation(comparison),
        "columns": search.columns,
        "searched": len(search.subsets),
        "slices": _slices(comparison, evaluator, search.subsets[:MOST_SUBSETS]),
        "heterogeneity_p": search.heterogeneity_p,
    }


def _slices(
    comparison: Comparison, evaluator: Evaluator | None, shown: Sequence[Subset]
) -> list[dict[str, Any]]:
    if evaluator is None:
        return []
    direction = comparison.direction(evaluator.pk)
    return [_slice(comparison, subset, direction) for subset in shown]


def _slice(comparison: Comparison, subset: Subset, direction: Direction) -> dict[str, Any]:
    run = comparison.sides[subset.key].run
    return {
        "run": run.pk,
        "variant": run.variant,
        "column": subset.column,
        "value": subset.name,
        "n": subset.n,
        "difference": subset.difference,
        "interval": subset.interval and list(subset.interval),
        "shrunken": subset.shrunken,
        "rest": subset.difference_outside,
        "interaction_p": subset.p,
        "p_corrected": subset.p_corrected,
        "reported": subset.reported,
        "reversal": subset.reversal,
        "verdict": subsets.verdict(subset, direction),
    }


class SliceSerializer(serializers.Serializer[Any]):
    """The examples with one value of a column: a run's difference from the baseline on them, and on all others."""

    run = serializers.IntegerField()
    variant = serializers.CharField()
    column = serializers.CharField()
    value = serializers.CharField()
    n = serializers.IntegerField(help_text="The number of pairs.")
    difference = serializers.FloatField()
    interval = serializers.ListField(
        child=serializers.FloatField(),
        allow_null=True,
        help_text="The 95 % interval: of a comparison filtered by the slice for the 20 most important reported "
        "slices, Welch’s for the others.",
    )
    shrunken = serializers.FloatField(
        help_text="The difference, pulled towards that of all examples: the fewer pairs, the stronger the pull."
    )
    rest = serializers.FloatField(help_text="The difference on all other examples.")
    interaction_p = serializers.FloatField(
        help_text="The p value of “slice and rest have the same difference”."
    )
    p_corrected = serializers.FloatField(help_text="The p value corrected for all slices searched.")
    reported = serializers.BooleanField(help_text="Whether `p_corrected` is at most 0.04.")
    reversal = serializers.BooleanField(
        help_text="Reported, and its `verdict` is the opposite of the overall difference."
    )
    verdict = serializers.ChoiceField(
        VERDICTS,
        allow_null=True,
        help_text="That of a comparison filtered by the slice; null where it gives none, or is not computed: of all "
        "but the 20 most important reported slices.",
    )


class SlicesSerializer(serializers.Serializer[Any]):
    baseline = serializers.IntegerField()
    evaluator = ComparedEvaluatorSerializer(allow_null=True)
    direction = serializers.ChoiceField(["maximize", "minimize"], allow_null=True)
    missing = serializers.ChoiceField(["worst", "exclude"])
    filtered = FilteredSerializer(allow_null=True)
    columns = serializers.ListField(
        child=serializers.CharField(),
        help_text="The metadata columns that were searched; columns of ids are left out.",
    )
    searched = serializers.IntegerField(help_text="How many slices were searched.")
    slices = SliceSerializer(
        many=True, help_text=f"The most important ones first; at most {grouped(MOST_SUBSETS)}."
    )
    heterogeneity_p = serializers.FloatField(
        allow_null=True,
        help_text="The p value of “no column has slices that differ”, corrected for the number of columns.",
    )


class SlicesQuery(ComparisonQuery):
    evaluator = Text(
        required=False, default="", help_text="Name or id of an evaluator. Default: the primary one."
    )
