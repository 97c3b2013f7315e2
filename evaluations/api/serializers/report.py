"""The report of a comparison as JSON."""

from rest_framework import serializers

from evaluations.reports.report import MOST_EXAMPLES, Report

from ..answers import Answer, strings
from . import agreement, corpus, subsets
from .agreement import EvaluatorAgreementSerializer
from .comparison_query import ComparisonQuery
from .comparison_shape import ComparisonSerializer
from .corpus import CorpusScoresSerializer
from .gate import GateCheckSerializer, GateSerializer
from .subsets import SlicesSerializer
from .system_agreement import SystemAgreementSerializer
from .trend import LeaderboardSerializer, of_leaderboard


def answer(report: Report) -> "ReportSerializer":
    """The answer of `comparisons/report/`; every part has the shape of its own endpoint."""
    compared, further = report.comparison, report.further
    return ReportSerializer(
        vars(report)
        | {
            "slices": subsets.answer(compared, compared.evaluators.primary).instance,
            "corpus": corpus.answer(compared, None).instance,
            "agreement": agreement.answer(compared, None, None).instance,
            "leaderboard": further.board and of_leaderboard(further.board).instance,
            "systems": further.systems,
        }
    )


class ReportQuery(ComparisonQuery):
    format = serializers.ChoiceField(["html", "json"], default="html")


class RegressionSerializer(Answer):
    """An example on which a run is worse than the baseline. Texts are cut at 3 000 characters."""

    position = serializers.IntegerField()
    key = serializers.CharField(allow_null=True)
    run = serializers.IntegerField()
    variant = serializers.CharField()
    gain = serializers.FloatField(help_text="Negative.")
    input = serializers.CharField()
    reference = serializers.CharField()
    baseline_output = serializers.CharField()
    output = serializers.CharField()


class ReportSourceSerializer(Answer):
    """A dataset version, run, evaluator version or prompt version on which the report is based."""

    kind = serializers.CharField(help_text="dataset, run, evaluator or prompt.")
    name = serializers.CharField()
    words = serializers.CharField()
    sha256 = serializers.CharField(help_text="Empty if there are more than a million rows.")


class ReportGateSerializer(Answer):
    """A gate with the report's baseline, and its verdict on each other run; nothing is stored."""

    gate = GateSerializer()
    checks = GateCheckSerializer(many=True)


class ReportSerializer(Answer):
    """The contents of the HTML report as JSON."""

    comparison = ComparisonSerializer()
    slices = SlicesSerializer(help_text="Subsets by the primary evaluator, as in `comparisons/slices/`.")
    corpus = CorpusScoresSerializer(help_text="Corpus scores, as in `comparisons/corpus/`.")
    agreement = EvaluatorAgreementSerializer(
        help_text="Agreement of evaluators, as in `comparisons/agreement/` without a pair."
    )
    leaderboard = LeaderboardSerializer(
        allow_null=True,
        help_text="The leaderboard of the dataset by the primary evaluator; null before any run is scored.",
    )
    systems = SystemAgreementSerializer(
        allow_null=True,
        help_text="Evaluators against the first outside score; null if there is none.",
    )
    made_at = serializers.DateTimeField()
    gates = ReportGateSerializer(
        source="gates.verdicts",
        many=True,
        help_text=(
            "The newest gates. If the report is of a split, only gates of this split; if it is filtered by "
            "metadata, none."
        ),
    )
    gates_left_out = serializers.IntegerField(
        source="gates.left_out",
        help_text="The number of gates with this baseline that were not checked, because there are too many.",
    )
    gates_of_other_examples = serializers.IntegerField(
        source="gates.elsewhere",
        help_text="Gates with this baseline that count other examples than this report does.",
    )
    regressed = serializers.IntegerField(help_text="Examples on which a run is worse than the baseline.")
    regressions = RegressionSerializer(
        many=True, help_text=f"The largest regressions, at most {MOST_EXAMPLES}."
    )
    sources = ReportSourceSerializer(many=True)
    software = serializers.DictField(child=serializers.CharField())
    methods = strings()
