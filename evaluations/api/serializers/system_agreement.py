"""The agreement of evaluators on the order of variants, as JSON."""

from dataclasses import asdict
from typing import Any

from rest_framework import serializers

from evaluations.comparisons.over_time.system_agreement import SystemAgreement

from ..fields import Text
from .comparison_entry import ComparedEvaluatorSerializer
from .page import NoQuery


def agreement_as_dict(agreement: SystemAgreement) -> dict[str, Any]:
    """The answer of `datasets/{id}/systems/`."""
    names = {pk: {"id": pk, "name": evaluator.name} for pk, evaluator in agreement.evaluators.items()}
    return {
        "against": agreement.against and agreement.against.pk,
        "reason": agreement.reason,
        "systems": [run.pk for run in agreement.runs],
        "evaluators": [asdict(row) | {"evaluator": names[row.evaluator]} for row in agreement.rows],
    }


class AgainstQuery(NoQuery):
    against = Text(
        required=False,
        help_text="Id or name of the evaluator that the others are compared with; by default the primary one.",
    )


class SystemRowSerializer(serializers.Serializer[Any]):
    evaluator = ComparedEvaluatorSerializer()
    examples = serializers.IntegerField(
        help_text="Examples that both evaluators scored for every variant; at most 2 000."
    )
    accuracy = serializers.FloatField(help_text="Share of pairs of variants in the same order; ties count.")
    soft_accuracy = serializers.FloatField(
        help_text="Mean over pairs of 1 − |p − p'| (Thompson et al. 2024)."
    )
    correlation = serializers.FloatField(help_text="Pearson's r of the variants' means.")
    behind = serializers.FloatField(
        allow_null=True,
        help_text="How much lower the correlation is than that of the first evaluator, standardised.",
    )
    p = serializers.FloatField(allow_null=True, help_text="Its p value by PERM-BOTH, two-sided.")


class SystemAgreementSerializer(serializers.Serializer[Any]):
    against = serializers.IntegerField(allow_null=True)
    reason = serializers.CharField(allow_null=True, help_text="Why there is no result.")
    systems = serializers.ListField(
        child=serializers.IntegerField(), help_text="Runs, ranked as on the leaderboard."
    )
    evaluators = SystemRowSerializer(
        many=True, help_text="The evaluators; the highest soft accuracy comes first."
    )
