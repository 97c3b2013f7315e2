"""The preview of newer evaluator versions as JSON."""

from typing import Any

from rest_framework import serializers

from evaluations.comparisons.preview_changes import RunPreview
from evaluations.comparisons.previews import Preview

from ..fields import Text
from .comparison_entry import ComparedEvaluatorSerializer
from .page import NoQuery


class PreviewQuery(NoQuery):
    evaluators = Text(
        required=False,
        help_text="Ids of evaluators, separated by commas. Default: those with a newer version than the runs used.",
    )


class FlipSerializer(serializers.Serializer[Any]):
    position = serializers.IntegerField()
    key = serializers.CharField(allow_null=True)
    old = serializers.FloatField()
    new = serializers.FloatField()


class FlipsSerializer(serializers.Serializer[Any]):
    """Examples whose verdict would change: the largest changes first, at most five in each list."""

    pass_to_fail = FlipSerializer(many=True)
    fail_to_pass = FlipSerializer(many=True)


class RunPreviewSerializer(serializers.Serializer[Any]):
    """`n` examples have a score by both versions; means and changes cover these."""

    run = serializers.IntegerField()
    variant = serializers.CharField()
    version = serializers.IntegerField(allow_null=True, help_text="The version that scored the run so far.")
    n = serializers.IntegerField()
    old_mean = serializers.FloatField(allow_null=True)
    new_mean = serializers.FloatField(allow_null=True)
    changed = serializers.IntegerField()
    gained = serializers.IntegerField(help_text="Examples that would gain a score.")
    lost = serializers.IntegerField(help_text="Examples that would lose their score.")
    unknown = serializers.IntegerField(help_text="Examples whose vectors are not stored yet.")
    pass_to_fail = serializers.IntegerField()
    fail_to_pass = serializers.IntegerField()
    flips = FlipsSerializer()


class SettingSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    old = serializers.CharField()
    new = serializers.CharField()


def _order() -> serializers.ListField:
    names = serializers.ListField(child=serializers.CharField())
    return serializers.ListField(child=names, help_text="Variants, best first; equal means together.")


class EvaluatorPreviewSerializer(serializers.Serializer[Any]):
    evaluator = ComparedEvaluatorSerializer()
    version = serializers.IntegerField()
    settings = SettingSerializer(many=True)
    order_before = _order()
    order_after = _order()
    order_changes = serializers.BooleanField()
    runs = RunPreviewSerializer(many=True)


class PreviewSerializer(serializers.Serializer[Any]):
    """The preview from `looked_at` of `total` examples: all, or a sample drawn with `seed`."""

    looked_at = serializers.IntegerField()
    total = serializers.IntegerField()
    seed = serializers.IntegerField(allow_null=True)
    evaluators = EvaluatorPreviewSerializer(many=True)


def as_dict(preview: Preview) -> dict[str, Any]:
    """The preview as JSON of the API."""
    return {
        "looked_at": preview.looked_at,
        "total": preview.total,
        "seed": preview.seed,
        "evaluators": [
            {
                "evaluator": {"id": evaluator.version.evaluator_id, "name": evaluator.version.evaluator.name},
                "version": evaluator.version.number,
                "settings": [difference._asdict() for difference in evaluator.settings],
                "order_before": evaluator.before,
                "order_after": evaluator.after,
                "order_changes": evaluator.is_reordered,
                "runs": [_run_as_dict(run) for run in evaluator.runs],
            }
            for evaluator in preview.evaluators
        ],
    }


def _run_as_dict(run: RunPreview) -> dict[str, Any]:
    names = ("n", "old_mean", "new_mean", "changed", "gained", "lost", "unknown")
    return {
        "run": run.run.pk,
        "variant": run.run.variant,
        "version": run.old.number if run.old else None,
        **{name: getattr(run, name) for name in names},
        "pass_to_fail": run.n_to_fail,
        "fail_to_pass": run.n_to_pass,
        "flips": {
            "pass_to_fail": [vars(flip) for flip in run.to_fail],
            "fail_to_pass": [vars(flip) for flip in run.to_pass],
        },
    }
