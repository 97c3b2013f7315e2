"""The agreement of evaluators as JSON."""

from typing import Any

from rest_framework import serializers

from evaluations.comparisons import evaluator_agreement
from evaluations.comparisons.comparison import Comparison
from evaluations.models import Evaluator
from evaluations.statistics.intervals import PERCENT

from ..answers import Answer, floats, integers
from ..fields import Text
from .comparison_entry import ComparedEvaluatorSerializer
from .comparison_query import ComparisonQuery
from .comparison_shape import FilteredSerializer


class CoefficientSerializer(Answer):
    value = serializers.FloatField(allow_null=True)
    interval = floats(
        allow_null=True, help_text=f"The {PERCENT} interval, from draws of examples or clusters."
    )


class CorrelationsSerializer(Answer):
    n = serializers.IntegerField(help_text="The number of outputs that both evaluators scored.")
    pearson = CoefficientSerializer()
    spearman = CoefficientSerializer()
    kendall = CoefficientSerializer(help_text="Tau b.")


class AgreeingPairSerializer(Answer):
    evaluators = integers(source="0", help_text="The ids of the two evaluators.")
    n = serializers.IntegerField(source="1.n")
    pearson = serializers.FloatField(source="1.pearson.value", allow_null=True)
    spearman = serializers.FloatField(source="1.spearman.value", allow_null=True)
    kendall = serializers.FloatField(source="1.kendall.value", allow_null=True)


class DisagreementSerializer(Answer):
    """One output that both evaluators rank differently."""

    position = serializers.IntegerField(source="0.position")
    run = serializers.IntegerField(source="1.pk")
    scores = floats(source="0.scores", help_text="By the two evaluators, in the order of `evaluators`.")
    gap = serializers.FloatField(
        source="0.gap",
        help_text=(
            "How much higher the first evaluator ranks the output than the second: a share of all outputs, "
            "from -1 to 1."
        ),
    )


class PairAgreementSerializer(Answer):
    evaluators = integers()
    words = serializers.CharField(
        help_text="How closely the scores of the two evaluators are related, in a sentence."
    )
    words_on_differences = serializers.CharField(
        allow_null=True,
        help_text="The same sentence for differences from the baseline; null for a single run.",
    )
    scores = CorrelationsSerializer(source="agreement.scores")
    differences = CorrelationsSerializer(
        source="agreement.differences",
        allow_null=True,
        help_text="Correlations of the differences between variants and baseline.",
    )
    disagreements = DisagreementSerializer(many=True, help_text="The largest first.")


class EvaluatorAgreementSerializer(Answer):
    """Correlations are of scores turned so that higher is better, over outputs with a score by both."""

    evaluators = ComparedEvaluatorSerializer(many=True)
    filtered = FilteredSerializer(allow_null=True)
    examples = serializers.IntegerField(
        help_text="The number of examples used: a random sample if there are many."
    )
    total = serializers.IntegerField()
    pairs = AgreeingPairSerializer(many=True)
    pair = PairAgreementSerializer(allow_null=True, help_text="Only if `other` is given.")


def answer(
    comparison: Comparison, first: Evaluator | None, second: Evaluator | None
) -> EvaluatorAgreementSerializer:
    """The answer of `comparisons/agreement/`; it has a pair only if two evaluators are named."""
    matrix = evaluator_agreement.matrix(comparison) if comparison.evaluators.primary else None
    return EvaluatorAgreementSerializer(
        {
            "evaluators": comparison.evaluators,
            "filtered": comparison,
            "examples": matrix.examples if matrix else 0,
            "total": matrix.total if matrix else 0,
            "pairs": matrix.listed if matrix else [],
            "pair": _pair(comparison, first, second) if first and second else None,
        }
    )


def _pair(comparison: Comparison, first: Evaluator, second: Evaluator) -> dict[str, Any]:
    pair = evaluator_agreement.pair(comparison, first, second)
    return {
        "evaluators": [first.pk, second.pk],
        "words": evaluator_agreement.words(first.name, second.name, pair.scores),
        "words_on_differences": evaluator_agreement.words_on_differences(first.name, second.name, pair),
        "agreement": pair,
        "disagreements": [
            (disagreement, comparison.sides[disagreement.side_index].run)
            for disagreement in pair.disagreements
        ],
    }


class EvaluatorAgreementQuery(ComparisonQuery):
    evaluator = Text(
        required=False, default="", help_text="Name or id of an evaluator. Default: the primary one."
    )
    other = Text(required=False, default="", help_text="Name or id of the evaluator to compare it with.")
