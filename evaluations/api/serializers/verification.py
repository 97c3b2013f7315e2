"""The verification of a run's stored scores as JSON."""

from typing import Any

from rest_framework import serializers

from evaluations.values import LARGEST_POSITION

from ..fields import Number, Strict


class VerifySerializer(Strict):
    after = Number(
        min_value=0, max_value=LARGEST_POSITION, default=0, help_text="The `next` of the previous answer."
    )


class VerifiedEvaluatorSerializer(serializers.Serializer[Any]):
    evaluator = serializers.IntegerField()
    name = serializers.CharField()
    version = serializers.IntegerField()


class TallySerializer(VerifiedEvaluatorSerializer):
    """How many scores were recomputed, how many differ, and the largest difference."""

    examples = serializers.IntegerField()
    drifted = serializers.IntegerField()
    largest = serializers.FloatField()


class JudgementSerializer(serializers.Serializer[Any]):
    value = serializers.FloatField(allow_null=True)
    passed = serializers.BooleanField(allow_null=True)
    status = serializers.CharField()


class DriftSerializer(VerifiedEvaluatorSerializer):
    """A stored score that differs from the one computed now."""

    position = serializers.IntegerField()
    stored = JudgementSerializer()
    computed = JudgementSerializer()


class VerificationSerializer(serializers.Serializer[Any]):
    """The stored scores that differ from those computed now, among the examples of this call."""

    next = serializers.IntegerField(
        allow_null=True, help_text="Send this value as `after` to continue; null at the end."
    )
    drifted = serializers.IntegerField()
    evaluators = TallySerializer(many=True)
    skipped = VerifiedEvaluatorSerializer(many=True, help_text="Evaluators that call a server.")
    drift = DriftSerializer(many=True, help_text="The first 100.")
