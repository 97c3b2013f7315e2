"""The agreement of evaluators as JSON."""

from typing import Any

from rest_framework import serializers

from evaluations.comparisons import evaluator_agreement
from evaluations.comparisons.comparison import Comparison
from evaluations.models import Evaluator
from evaluations.statistics.correlation import Coefficient, Correlations

from ..fields import Text
from .comparison_entry import ComparedEvaluatorSerializer
from .comparison_query import ComparisonQuery
from .comparison_shape import FilteredSerializer

COEFFICIENTS = ("pearson", "spearman", "kendall")


def as_dict(comparison: Comparison, first: Evaluator | None, second: Evaluator | None) -> dict[str, Any]:
    """The answer of `comparisons/agreement/`; it has a pair only if two evaluators are named."""
    matrix = evaluator_agreement.matrix(comparison) if comparison.evaluators.primary else None
    return {
        "evaluators": [{"id": evaluator.pk, "name": evaluator.name} for evaluator in comparison.evaluators],
        "filtered": FilteredSerializer().to_representation(comparison),
        "examples": matrix.examples if matrix else 0,
        "total": matrix.total if matrix else 0,
        "pairs": [
            {"evaluators": list(ids), "n": correlations.n}
            | {name: getattr(correlations, name).value for name in COEFFICIENTS}
            for *ids, correlations in (matrix.pairs if matrix else [])
        ],
        "pair": _pair(comparison, first, second) if first and second else None,
    }


def _pair(comparison: Comparison, first: Evaluator, second: Evaluator) -> dict[str, Any]:
    pair = evaluator_agreement.pair(comparison, first, second)
    return {
        "evaluators": [first.pk, second.pk],
        "words": evaluator_agreement.words(first.name, second.name, pair.scores),
        "words_on_differences": evaluator_agreement.words_on_differences(first.name, second.name, pair),
        "scores": _correlations(pair.scores),
        "differences": pair.differences and _correlations(pair.differences),
        "disagreements": [
            {
                "position": disagreement.position,
                "run": comparison.sides[disagreement.side_index].run.pk,
                "scores": list(disagreement.scores),
                "gap": disagreement.gap,
            }
            for disagreement in pair.disagreements
        ],
    }


def _correlations(correlations: Correlations) -> dict[str, Any]:
    return {"n": correlations.n} | {name: _coefficient(getattr(correlations, name)) for name in COEFFICIENTS}


def _coefficient(coefficient: Coefficient) -> dict[str, Any]:
    interval = coefficient.interval
    return {"value": coefficient.value, "interval": interval and list(interval)}


class CoefficientSerializer(serializers.Serializer[Any]):
    value = serializers.FloatField(allow_null=True)
    interval = serializers.ListField(
        child=serializers.FloatField(),
        allow_null=True,
        help_text="The 95 % interval, from draws of examples or clusters.",
    )


class CorrelationsSerializer(serializers.Serializer[Any]):
    n = serializers.IntegerField(help_text="The number of outputs that both evaluators scored.")
    pearson = CoefficientSerializer()
    spearman = CoefficientSerializer()
    kendall = CoefficientSerializer(help_text="Tau b.")


class AgreeingPairSerializer(serializers.Serializer[Any]):
    evaluators = serializers.ListField(
        child=serializers.IntegerField(), help_text="The ids of the two evaluators."
    )
    n = serializers.IntegerField()
    pearson = serializers.FloatField(allow_null=True)
    spearman = serializers.FloatField(allow_null=True)
    kendall = serializers.FloatField(allow_null=True)


class DisagreementSerializer(serializers.Serializer[Any]):
    """One output that both evaluators rank differently."""

    position = serializers.IntegerField()
    run = serializers.IntegerField()
    scores = serializers.ListField(
        child=serializers.FloatField(), help_text="By the two evaluators, in the order of `evaluators`."
    )
    gap = serializers.FloatField(
        help_text=(
            "How much higher the first evaluator ranks the output than the second: a share of all outputs, "
            "from -1 to 1."
        )
    )


class PairAgreementSerializer(serializers.Serializer[Any]):
    evaluators = serializers.ListField(child=serializers.IntegerField())
    words = serializers.CharField(
        help_text="How closely the scores of the two evaluators are related, in a sentence."
    )
    words_on_differences = serializers.CharField(
        allow_null=True,
        help_text="The same sentence for differences from the baseline; null for a single run.",
    )
    scores = CorrelationsSerializer()
    differences = CorrelationsSerializer(
        allow_null=True, help_text="Correlations of the differences between variants and baseline."
    )
    disagreements = DisagreementSerializer(many=True, help_text="The largest first.")


class EvaluatorAgreementSerializer(serializers.Serializer[Any]):
    """Correlations are of scores turned so that higher is better, over outputs with a score by both."""

    evaluators = ComparedEvaluatorSerializer(many=True)
    filtered = FilteredSerializer(allow_null=True)
    examples = serializers.IntegerField(
        help_text="The number of examples used: a random sample if there are many."
    )
    total = serializers.IntegerField()
    pairs = AgreeingPairSerializer(many=True)
    pair = PairAgreementSerializer(allow_null=True, help_text="Only if `other` is given.")


class EvaluatorAgreementQuery(ComparisonQuery):
    evaluator = Text(
        required=False, default="", help_text="Name or id of an evaluator. Default: the primary one."
    )
    other = Text(required=False, default="", help_text="Name or id of the evaluator to compare it with.")
