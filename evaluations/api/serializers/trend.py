"""Trend and leaderboard of a dataset as JSON."""

from typing import Any

from rest_framework import serializers

from evaluations.comparisons.over_time.leaderboards import Leaderboard, Standing, Unranked
from evaluations.comparisons.over_time.trends import Mark, Point, Trend

from ..fields import Text
from .page import NoQuery


def trend_as_dict(trend: Trend | None) -> dict[str, Any]:
    """The answer of `datasets/{id}/trend/`; without any scores all fields are null or empty."""
    if trend is None:
        return _head(None) | {"points": [], "marks": []}
    points = [_point(point) | {"is_current": trend.is_current(point)} for point in trend.points]
    return _head(trend) | {"points": points, "marks": [_mark(mark) for mark in trend.marks]}


def leaderboard_as_dict(board: Leaderboard | None) -> dict[str, Any]:
    """The answer of `datasets/{id}/leaderboard/`."""
    if board is None:
        return _head(None) | {"sentence": "", "reason": None, "ranking": [], "unranked": []}
    return _head(board.trend) | {
        "sentence": board.sentence,
        "reason": board.reason,
        "ranking": [_standing(standing) for standing in board.standings],
        "unranked": [_unranked(standing) for standing in board.unranked],
    }


def _head(trend: Trend | None) -> dict[str, Any]:
    dataset_version, evaluator_version = (trend and trend.versions) or (None, None)
    return {
        "evaluator": trend and trend.evaluator.pk,
        "direction": trend and trend.direction,
        "dataset_version": dataset_version,
        "evaluator_version": evaluator_version,
    }


def _point(point: Point) -> dict[str, Any]:
    return {
        "run": point.run.pk,
        "experiment": point.run.experiment_id,
        "variant": point.run.variant,
        "line": point.line,
        "label": point.label,
        "at": point.at,
        "mean": point.mean,
        "interval": point.interval and list(point.interval),
        "n": point.n,
        "unanswered": point.unanswered,
        "stopped_early_of": point.stopped_early_of,
        "dataset_version": point.versions[0],
        "evaluator_version": point.versions[1],
    }


def _mark(mark: Mark) -> dict[str, Any]:
    return {"at": mark.at, "what": mark.what, "version": mark.version, "text": mark.text}


def _standing(standing: Standing) -> dict[str, Any]:
    lead = standing.lead
    return _point(standing.point) | {
        "rank": list(standing.rank),
        "group": standing.ranked.group,
        "lead": lead
        and {
            "difference": lead.difference,
            "interval": lead.interval and list(lead.interval),
            "verdict": lead.verdict,
        },
        "experiments": standing.experiments,
    }


def _unranked(standing: Unranked) -> dict[str, Any]:
    return _point(standing.point) | {"reason": standing.reason, "experiments": standing.experiments}


# ---- shapes for the API reference --------------------------------------------------------------------------


class EvaluatorQuery(NoQuery):
    evaluator = Text(
        required=False,
        help_text="Id or name; by default the primary evaluator of the dataset's newest experiment.",
    )


class PointSerializer(serializers.Serializer[Any]):
    """The mean of one run. Unanswered examples count as worst; `unanswered` is their number.

    If the evaluator has no worst score, the mean of a point leaves them out, and that of a ranked run counts them at
    least as bad as the worst answer, without an interval.
    """

    run = serializers.IntegerField()
    experiment = serializers.IntegerField()
    variant = serializers.CharField()
    line = serializers.CharField(
        help_text="The line in the chart; versions of one prompt with one model share a line."
    )
    label = serializers.CharField(help_text="The version of the prompt, such as v3.")  # type: ignore[assignment] # a field of this name, not the property
    at = serializers.DateTimeField()
    mean = serializers.FloatField()
    interval = serializers.ListField(child=serializers.FloatField(), allow_null=True)
    n = serializers.IntegerField()
    unanswered = serializers.IntegerField()
    stopped_early_of = serializers.IntegerField(
        allow_null=True,
        help_text="The number of examples it would have without stopping early; null if it did not stop early.",
    )
    dataset_version = serializers.IntegerField()
    evaluator_version = serializers.IntegerField()


class TrendPointSerializer(PointSerializer):
    is_current = serializers.BooleanField(
        help_text="Whether the run has the dataset and evaluator versions that the leaderboard ranks."
    )


class MarkSerializer(serializers.Serializer[Any]):
    at = serializers.DateTimeField()
    what = serializers.ChoiceField(["dataset", "evaluator"])
    version = serializers.IntegerField()
    text = serializers.CharField()


class HeadSerializer(serializers.Serializer[Any]):
    evaluator = serializers.IntegerField(allow_null=True)
    direction = serializers.ChoiceField(["maximize", "minimize"], allow_null=True)
    dataset_version = serializers.IntegerField(
        allow_null=True, help_text="The version of the dataset of the ranked runs."
    )
    evaluator_version = serializers.IntegerField(
        allow_null=True, help_text="The version of the evaluator that scored them."
    )


class TrendSerializer(HeadSerializer):
    points = TrendPointSerializer(many=True, help_text="Oldest first; at most the newest 500.")
    marks = MarkSerializer(many=True, help_text="Where scores stop being comparable with earlier ones.")


class LeadOverNextSerializer(serializers.Serializer[Any]):
    difference = serializers.FloatField(allow_null=True)
    interval = serializers.ListField(child=serializers.FloatField(), allow_null=True)
    verdict = serializers.ChoiceField(["better", "worse", "cannot_tell"], allow_null=True)


class RankedPointSerializer(PointSerializer):
    rank = serializers.ListField(
        child=serializers.IntegerField(), help_text="The best and the worst rank that the run can have."
    )
    group = serializers.CharField(help_text="There is no clear difference between runs that share a letter.")
    lead = LeadOverNextSerializer(allow_null=True, help_text="The difference to the next run.")
    experiments = serializers.IntegerField(help_text="The number of experiments with the variant.")


class UnrankedSerializer(PointSerializer):
    reason = serializers.CharField()
    experiments = serializers.IntegerField()


class LeaderboardSerializer(HeadSerializer):
    sentence = serializers.CharField()
    reason = serializers.CharField(allow_null=True, help_text="Why there is no ranking.")
    ranking = RankedPointSerializer(
        many=True, help_text="The latest run of each variant, best first; at most 20."
    )
    unranked = UnrankedSerializer(many=True)
