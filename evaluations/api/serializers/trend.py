"""Trend and leaderboard of a dataset as JSON."""

from typing import get_args

from rest_framework import serializers

from evaluations.comparisons.alignment.sides import MOST_RUNS
from evaluations.comparisons.over_time.leaderboards import Leaderboard
from evaluations.comparisons.over_time.trends import Trend
from evaluations.statistics.terms import Verdict
from evaluations.values import BETTER

from ..answers import Answer, floats, integers
from ..fields import Text
from .page import NoQuery


class EvaluatorQuery(NoQuery):
    evaluator = Text(
        required=False,
        help_text="Id or name; by default the primary evaluator of the dataset's newest experiment.",
    )


class PointSerializer(Answer):
    """The mean of one run. Unanswered examples count as worst; `unanswered` is their number.

    If the evaluator has no worst score, the mean of a point leaves them out, and that of a ranked run counts them at
    least as bad as the worst answer, without an interval.
    """

    run = serializers.IntegerField(source="point.run.pk")
    experiment = serializers.IntegerField(source="point.experiment_id")
    variant = serializers.CharField(source="point.run.variant")
    line = serializers.CharField(
        source="point.line",
        help_text="The line in the chart; versions of one prompt with one model share a line.",
    )
    label = serializers.CharField(  # type: ignore[assignment] # a field of this name, not the property
        source="point.label", help_text="The version of the prompt, such as v3."
    )
    at = serializers.DateTimeField(source="point.at")
    mean = serializers.FloatField(source="point.mean")
    interval = floats(source="point.interval", allow_null=True)
    n = serializers.IntegerField(source="point.n")
    unanswered = serializers.IntegerField(source="point.unanswered")
    stopped_early_of = serializers.IntegerField(
        source="point.stopped_early_of",
        allow_null=True,
        help_text="The number of examples it would have without stopping early; null if it did not stop early.",
    )
    dataset_version = serializers.IntegerField(source="point.versions.0")
    evaluator_version = serializers.IntegerField(source="point.versions.1")


class TrendPointSerializer(PointSerializer):
    is_current = serializers.BooleanField(
        help_text="Whether the run has the dataset and evaluator versions that the leaderboard ranks."
    )


class MarkSerializer(Answer):
    at = serializers.DateTimeField()
    what = serializers.ChoiceField(["dataset", "evaluator"])
    version = serializers.IntegerField()
    text = serializers.CharField()


class HeadSerializer(Answer):
    evaluator = serializers.IntegerField(source="trend.evaluator.pk", allow_null=True)
    direction = serializers.ChoiceField([*BETTER], source="trend.direction", allow_null=True)
    dataset_version = serializers.IntegerField(
        source="trend.versions.0", allow_null=True, help_text="The version of the dataset of the ranked runs."
    )
    evaluator_version = serializers.IntegerField(
        source="trend.versions.1", allow_null=True, help_text="The version of the evaluator that scored them."
    )


class TrendSerializer(HeadSerializer):
    points = TrendPointSerializer(many=True, help_text="Oldest first; at most the newest 500.")
    marks = MarkSerializer(many=True, help_text="Where scores stop being comparable with earlier ones.")


class LeadOverNextSerializer(Answer):
    difference = serializers.FloatField(allow_null=True)
    interval = floats(allow_null=True)
    verdict = serializers.ChoiceField(get_args(Verdict), allow_null=True)


class RankedPointSerializer(PointSerializer):
    rank = integers(help_text="The best and the worst rank that the run can have.")
    group = serializers.CharField(
        source="ranked.group", help_text="There is no clear difference between runs that share a letter."
    )
    lead = LeadOverNextSerializer(allow_null=True, help_text="The difference to the next run.")
    experiments = serializers.IntegerField(help_text="The number of experiments with the variant.")


class UnrankedSerializer(PointSerializer):
    reason = serializers.CharField()
    experiments = serializers.IntegerField()


class LeaderboardSerializer(HeadSerializer):
    sentence = serializers.CharField()
    reason = serializers.CharField(allow_null=True, help_text="Why there is no ranking.")
    ranking = RankedPointSerializer(
        source="standings",
        many=True,
        help_text=f"The latest run of each variant, best first; at most {MOST_RUNS}.",
    )
    unranked = UnrankedSerializer(many=True)


def of_trend(trend: Trend | None) -> TrendSerializer:
    """The answer of `datasets/{id}/trend/`; without any scores its fields are null or empty."""
    points, marks = (trend.listed, trend.marks) if trend else ([], [])
    return TrendSerializer({"trend": trend, "points": points, "marks": marks})


def of_leaderboard(board: Leaderboard | None) -> LeaderboardSerializer:
    """The answer of `datasets/{id}/leaderboard/`."""
    return LeaderboardSerializer(board or {"trend": None, "sentence": "", "standings": [], "unranked": []})
