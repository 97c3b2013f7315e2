from typing import Any

from rest_framework import serializers

from evaluations.reports.report import Report

from . import agreement, comparison, corpus, subsets
from .agreement import EvaluatorAgreementSerializer
from .comparison_shape import ComparisonQuery, ComparisonSerializer
from .corpus import CorpusScoresSerializer
from .gate import GateCheckSerializer, GateSerializer
from .subsets import SlicesSerializer
from .system_agreement import SystemAgreementSerializer, agreement_as_dict
from .trend import LeaderboardSerializer, leaderboard_as_dict


def as_dict(report: Report) -> dict[str, Any]:
    """The report as JSON; every part has the shape of its own address."""
    compared, further = report.comparison, report.further
    return {
        "comparison": comparison.as_dict(compared),
        "slices": subsets.as_dict(compared, compared.primary),
        "corpus": corpus.as_dict(compared, None, ""),
        "agreement": agreement.as_dict(compared, None, None),
        "leaderboard": further.board and leaderboard_as_dict(further.board),
        "systems": further.systems and agreement_as_dict(further.systems),
        "gates": ReportGateSerializer(report.gates.verdicts, many=True).data,
        "gates_left_out": report.gates.left_out,
        "gates_of_other_examples": report.gates.elsewhere,
    } | report.as_dict()


class ReportQuery(ComparisonQuery):
    format = serializers.ChoiceField(["html", "json"], default="html")


class RegressionSerializer(serializers.Serializer):
    """An example on which a run lost against the baseline; texts are cut at 3 000 characters."""

    position = serializers.IntegerField()
    key = serializers.CharField(allow_null=True)
    run = serializers.IntegerField()
    variant = serializers.CharField()
    gain = serializers.FloatField(help_text="Negative.")
    input = serializers.CharField()
    reference = serializers.CharField()
    baseline_output = serializers.CharField()
    output = serializers.CharField()


class ReportSourceSerializer(serializers.Serializer):
    """A dataset version, run, evaluator version or prompt version that the report rests on."""

    kind = serializers.CharField(help_text="dataset, run, evaluator or prompt.")
    name = serializers.CharField()
    words = serializers.CharField()
    sha256 = serializers.CharField(help_text="Empty where there are more than a million rows.")


class ReportGateSerializer(serializers.Serializer):
    """A gate with the baseline of the report, and its verdict on each other run; nothing is stored."""

    gate = GateSerializer()
    checks = GateCheckSerializer(many=True)


class ReportSerializer(serializers.Serializer):
    """The contents of the HTML report as data."""

    comparison = ComparisonSerializer()
    slices = SlicesSerializer(help_text="By the primary evaluator, as `comparisons/slices/`.")
    corpus = CorpusScoresSerializer(help_text="As `comparisons/corpus/`.")
    agreement = EvaluatorAgreementSerializer(help_text="As `comparisons/agreement/` without a pair.")
    leaderboard = LeaderboardSerializer(
        allow_null=True, help_text="Of the dataset by the primary evaluator; null before any run is scored."
    )
    systems = SystemAgreementSerializer(
        allow_null=True,
        help_text="Against the first evaluator whose scores were made elsewhere; null without one.",
    )
    made_at = serializers.DateTimeField()
    gates = ReportGateSerializer(
        many=True, help_text="The newest; for a split those of the same split, for some metadata none."
    )
    gates_left_out = serializers.IntegerField(help_text="Gates with this baseline, too many to check.")
    gates_of_other_examples = serializers.IntegerField(
        help_text="Gates with this baseline that count other examples than this report."
    )
    regressed = serializers.IntegerField(help_text="Examples on which a run is worse than the baseline.")
    regressions = RegressionSerializer(many=True, help_text="At most 10.")
    sources = ReportSourceSerializer(many=True)
    software = serializers.DictField(child=serializers.CharField())
    methods = serializers.ListField(child=serializers.CharField())
