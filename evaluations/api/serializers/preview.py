"""The preview of newer evaluator versions as JSON."""

from rest_framework import serializers

from ..answers import Answer, strings
from ..fields import Text
from .comparison_entry import ComparedEvaluatorSerializer
from .page import NoQuery


class PreviewQuery(NoQuery):
    evaluators = Text(
        required=False,
        help_text="Ids of evaluators, separated by commas. Default: those with a newer version than the runs used.",
    )


class FlipSerializer(Answer):
    position = serializers.IntegerField()
    key = serializers.CharField(allow_null=True)
    old = serializers.FloatField()
    new = serializers.FloatField()


class FlipsSerializer(Answer):
    """Examples whose verdict would change: the largest changes first, at most five in each list."""

    pass_to_fail = FlipSerializer(source="to_fail", many=True)
    fail_to_pass = FlipSerializer(source="to_pass", many=True)


class RunPreviewSerializer(Answer):
    """`n` examples have a score by both versions; means and changes cover these."""

    run = serializers.IntegerField(source="run.pk")
    variant = serializers.CharField(source="run.variant")
    version = serializers.IntegerField(
        source="old.number", allow_null=True, help_text="The version that scored the run so far."
    )
    n = serializers.IntegerField()
    old_mean = serializers.FloatField(allow_null=True)
    new_mean = serializers.FloatField(allow_null=True)
    changed = serializers.IntegerField()
    gained = serializers.IntegerField(help_text="Examples that would gain a score.")
    lost = serializers.IntegerField(help_text="Examples that would lose their score.")
    unknown = serializers.IntegerField(help_text="Examples whose vectors are not stored yet.")
    pass_to_fail = serializers.IntegerField(source="n_to_fail")
    fail_to_pass = serializers.IntegerField(source="n_to_pass")
    flips = FlipsSerializer(source="*")


class SettingSerializer(Answer):
    name = serializers.CharField()
    old = serializers.CharField()
    new = serializers.CharField()


def _order(source: str) -> serializers.ListField:
    names = strings()
    return serializers.ListField(
        source=source, child=names, help_text="Variants, best first; equal means together."
    )


class EvaluatorPreviewSerializer(Answer):
    evaluator = ComparedEvaluatorSerializer(source="version.evaluator")
    version = serializers.IntegerField(source="version.number")
    settings = SettingSerializer(many=True)
    order_before = _order("before")
    order_after = _order("after")
    order_changes = serializers.BooleanField(source="is_reordered")
    runs = RunPreviewSerializer(many=True)


class PreviewSerializer(Answer):
    """The preview from `looked_at` of `total` examples: all, or a sample drawn with `seed`."""

    looked_at = serializers.IntegerField()
    total = serializers.IntegerField()
    seed = serializers.IntegerField(allow_null=True)
    evaluators = EvaluatorPreviewSerializer(many=True)
