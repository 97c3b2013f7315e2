"""The agreement of evaluators on the order of variants, as JSON."""

from rest_framework import serializers

from evaluations.comparisons.over_time.system_agreement import MOST_EXAMPLES
from evaluations.numerals import grouped

from ..answers import Answer, integers
from ..fields import Text
from .comparison_entry import ComparedEvaluatorSerializer
from .page import NoQuery


class AgainstQuery(NoQuery):
    against = Text(
        required=False,
        help_text="Id or name of the evaluator that the others are compared with; by default the primary one.",
    )


class SystemRowSerializer(Answer):
    evaluator = ComparedEvaluatorSerializer(source="0")
    examples = serializers.IntegerField(
        source="1.examples",
        help_text=f"Examples that both evaluators scored for every variant; at most {grouped(MOST_EXAMPLES)}.",
    )
    accuracy = serializers.FloatField(
        source="1.accuracy", help_text="Share of pairs of variants in the same order; ties count."
    )
    soft_accuracy = serializers.FloatField(
        source="1.soft_accuracy", help_text="Mean over pairs of 1 − |p − p'| (Thompson et al. 2024)."
    )
    correlation = serializers.FloatField(
        source="1.correlation", help_text="Pearson's r of the variants' means."
    )
    behind = serializers.FloatField(
        source="1.behind",
        allow_null=True,
        help_text="How much lower the correlation is than that of the first evaluator, standardised.",
    )
    p = serializers.FloatField(
        source="1.p",
        allow_null=True,
        help_text="Its p value by PERM-BOTH, two-sided. The best is chosen by the same data, so p is too small.",
    )


class SystemAgreementSerializer(Answer):
    against = serializers.IntegerField(source="against.pk", allow_null=True)
    reason = serializers.CharField(allow_null=True, help_text="Why there is no result.")
    systems = integers(source="run_ids", help_text="Runs, ranked as on the leaderboard.")
    evaluators = SystemRowSerializer(
        source="named_rows", many=True, help_text="The evaluators; the highest soft accuracy comes first."
    )
