"""The subsets of a comparison as JSON."""

from collections.abc import Sequence
from typing import NamedTuple, get_args

from rest_framework import serializers

from evaluations.comparisons import subsets
from evaluations.comparisons.comparison import Comparison
from evaluations.models import Evaluator, Run
from evaluations.numerals import grouped
from evaluations.statistics.intervals import PERCENT
from evaluations.statistics.subsets import REPORTED, Subset
from evaluations.statistics.terms import Verdict
from evaluations.values import BETTER, Missing

from ..answers import Answer, floats, strings
from ..fields import Text
from .comparison_entry import VERDICTS, ComparedEvaluatorSerializer
from .comparison_query import ComparisonQuery
from .comparison_shape import FilteredSerializer

MOST_SUBSETS = 1_000  # subsets in one answer; the most important come first


def answer(comparison: Comparison, evaluator: Evaluator | None) -> "SlicesSerializer":
    """The answer of `comparisons/slices/`; `evaluator` is None if nothing is scored."""
    search = subsets.search(comparison.figures, evaluator)
    return SlicesSerializer(
        {
            "baseline": comparison.sides.baseline.run.pk,
            "evaluator": evaluator,
            "direction": evaluator and comparison.evaluators.direction(evaluator.pk),
            "missing": comparison.missing,
            "filtered": comparison,
            "columns": search.columns,
            "searched": len(search.subsets),
            "slices": _sliced(comparison, evaluator, search.subsets[:MOST_SUBSETS]),
            "heterogeneity_p": search.heterogeneity_p,
        }
    )


class Sliced(NamedTuple):
    """A subset of a run, and the verdict of a comparison filtered by it."""

    run: Run
    subset: Subset
    verdict: Verdict | None


def _sliced(comparison: Comparison, evaluator: Evaluator | None, shown: Sequence[Subset]) -> list[Sliced]:
    if evaluator is None:
        return []
    direction = comparison.evaluators.direction(evaluator.pk)
    return [
        Sliced(comparison.sides[subset.key].run, subset, subsets.verdict(subset, direction))
        for subset in shown
    ]


class SliceSerializer(Answer):
    """The examples with one value of a column: a run's difference from the baseline on them, and on all others."""

    run = serializers.IntegerField(source="run.pk")
    variant = serializers.CharField(source="run.variant")
    column = serializers.CharField(source="subset.column")
    value = serializers.CharField(source="subset.name")
    n = serializers.IntegerField(source="subset.n", help_text="The number of pairs.")
    difference = serializers.FloatField(source="subset.difference")
    interval = floats(
        source="subset.interval",
        allow_null=True,
        help_text=f"The {PERCENT} interval: of a comparison filtered by the slice for the 20 most important reported "
        "slices, Welch’s for the others.",
    )
    shrunken = serializers.FloatField(
        source="subset.shrunken",
        help_text="The difference, pulled towards that of all examples: the fewer pairs, the stronger the pull.",
    )
    rest = serializers.FloatField(
        source="subset.difference_outside",
        help_text="The difference on all other examples.",
    )
    interaction_p = serializers.FloatField(
        source="subset.p", help_text="The p value of “slice and rest have the same difference”."
    )
    p_corrected = serializers.FloatField(
        source="subset.p_corrected",
        help_text="The p value corrected for all slices searched.",
    )
    reported = serializers.BooleanField(
        source="subset.reported",
        help_text=f"Whether `p_corrected` is at most {REPORTED}.",
    )
    reversal = serializers.BooleanField(
        source="subset.reversal",
        help_text="Reported, and its `verdict` is the opposite of the overall difference.",
    )
    verdict = serializers.ChoiceField(
        VERDICTS,
        allow_null=True,
        help_text="That of a comparison filtered by the slice; null where it gives none, or is not computed: of all "
        "but the 20 most important reported slices.",
    )


class SlicesSerializer(Answer):
    baseline = serializers.IntegerField()
    evaluator = ComparedEvaluatorSerializer(allow_null=True)
    direction = serializers.ChoiceField([*BETTER], allow_null=True)
    missing = serializers.ChoiceField(get_args(Missing))
    filtered = FilteredSerializer(allow_null=True)
    columns = strings(help_text="The metadata columns that were searched; columns of ids are left out.")
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
