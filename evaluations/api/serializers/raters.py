"""Raters, their links, items with what was said about them, and decisions about differences."""

from typing import Any

from rest_framework import serializers

from evaluations.labelling import links
from evaluations.models import Label, LabelItem
from evaluations.models.fields import longest

from ..answers import Answer
from ..fields import Flag, Id, Strict, Text


class RaterSerializer(Answer):
    """A rater in a task. `name` is null but for administrators; `seconds` is the median time of a label."""

    number = serializers.IntegerField()
    name = serializers.SerializerMethodField()
    done = serializers.IntegerField()
    unsure = serializers.IntegerField()
    seconds = serializers.FloatField(allow_null=True)

    def get_name(self, rater: Any) -> str | None:
        return rater.name or None


class RatersSerializer(Answer):
    raters = RaterSerializer(many=True)


class NewAnnotatorSerializer(Strict):
    person = Id(help_text="The id of an annotator of the project.")


class NewRaterLinkSerializer(Strict):
    days = serializers.IntegerField(
        required=False, default=links.DAYS, min_value=1, max_value=links.MOST_DAYS
    )


class RaterLinkSerializer(Answer):
    """A link for one person without an account; `rater` is their number once they came."""

    id = serializers.IntegerField(source="pk")
    rater = serializers.IntegerField(source="rater.number", allow_null=True)
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    withdrawn_at = serializers.DateTimeField(allow_null=True)


class MadeRaterLinkSerializer(RaterLinkSerializer):
    """`url` is shown now and never again."""

    url = serializers.CharField(allow_null=True, help_text="Null in a repeated answer.")


class LabelItemSerializer(Answer):
    """An item with the labels that it has; `item` names it in decisions."""

    item = serializers.CharField(source="token")
    task = serializers.IntegerField(source="task_id")
    run = serializers.IntegerField(source="run_id")
    opponent = serializers.IntegerField(source="other_id", allow_null=True, help_text="Of a pair.")
    example = serializers.IntegerField()
    labels = serializers.SerializerMethodField()
    decided = serializers.SerializerMethodField()

    def get_labels(self, item: LabelItem) -> list[dict[str, Any]]:
        return [_said(label) for label in item.labels.all() if not label.is_adjudicated and _stands(label)]

    def get_decided(self, item: LabelItem) -> dict[str, Any] | None:
        return next(
            (_said(label) for label in item.labels.all() if label.is_adjudicated and _stands(label)), None
        )


def _stands(label: Label) -> bool:
    return label.withdrawn_at is None


def _said(label: Label) -> dict[str, Any]:
    return {
        "rater": label.rater.number,
        "value": label.answer or None,
        "unsure": label.value is None,
        "note": label.note,
    }


class NewDecisionSerializer(Strict):
    item = Text(max_length=32)
    value = Text(required=False, max_length=longest(Label, "answer"), help_text="One of the `choices`.")
    unsure = Flag(required=False, default=False, help_text="Nobody can tell: the answer counts nowhere.")
    note = Text(required=False, default="")


class WinRateSerializer(Answer):
    """`run` against `baseline` in `n` pairs, null without labels of pairs; the 95 % interval needs 30 of them."""

    run = serializers.IntegerField(source="run.pk", allow_null=True)
    baseline = serializers.IntegerField(source="baseline.pk", allow_null=True)
    n = serializers.IntegerField()
    rate = serializers.FloatField(allow_null=True)
    interval = serializers.SerializerMethodField()

    def get_interval(self, found: Any) -> list[float] | None:
        low, high = getattr(found, "low", None), getattr(found, "high", None)
        return None if low is None or high is None else [low, high]
