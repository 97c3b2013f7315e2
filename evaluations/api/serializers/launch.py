from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evaluations.launches import looking
from evaluations.launches.plans import MOST_RUNS
from evaluations.models import Launch

from ..fields import AnyJSON, Flag, Id, Name, Object, Strict, Text
from .price import Amount, Cost
from .prompt import Number


class LaunchProgressSerializer(serializers.Serializer):
    """Answers of all runs, failed ones too."""

    done = serializers.IntegerField()
    total = serializers.IntegerField()


@extend_schema_field({"type": "object", "additionalProperties": {"type": "integer"}})
class Counts(AnyJSON):
    """How many answers failed, by the code of their error."""


class LaunchSerializer(serializers.ModelSerializer):
    """`spent` is what was paid and what calls under way may cost at worst; it never exceeds `budget`."""

    experiment = serializers.IntegerField(source="experiment_id")
    runs = serializers.ListField(child=serializers.IntegerField())
    status = serializers.ChoiceField(choices=Launch.Status.choices)
    budget = Cost(source="budget.limit", allow_null=True)
    spent = Cost(source="budget.committed")
    max_calls = serializers.IntegerField(source="budget.max_calls", allow_null=True)
    calls = serializers.IntegerField(source="budget.calls")
    progress = LaunchProgressSerializer()
    errors = Counts()
    tolerated_failures = serializers.FloatField(source="tolerated")

    class Meta:
        model = Launch
        fields = (
            "id",
            "experiment",
            "runs",
            "status",
            "budget",
            "spent",
            "max_calls",
            "calls",
            "progress",
            "errors",
            "size",
            "seed",
            "repetitions",
            "tolerated_failures",
            "cache",
            "created_at",
            "finished_at",
        )
        read_only_fields = fields

    def to_representation(self, launch: Launch) -> dict[str, Any]:
        looks = self.context.get("looks") or looking.look_at([launch])
        look = looks[launch.pk]
        for name in ("runs", "status", "progress", "errors"):
            setattr(launch, name, getattr(look, name))
        return super().to_representation(launch)


class VariantSerializer(Strict):
    prompt = Id()
    version = Number(help_text="The newest by default.")
    name = Name(required=False, help_text="By default the prompt, its version and the model.")
    model = Text(required=False, max_length=200, help_text="Instead of the prompt's.")
    parameters = Object(required=False, help_text="Beside those of the prompt, or instead of them.")


class SampleSerializer(Strict):
    size = Number(required=True)
    seed = Number(help_text="The same seed asks the same examples.")


class NewLaunchSerializer(Strict):
    """Either an `experiment`, or the `name` and `dataset` of a new one with its `evaluators`."""

    experiment = Id(required=False)
    name = Name(required=False)
    dataset = Id(required=False)
    evaluators = serializers.ListField(child=Id(), max_length=100, required=False, default=list)
    variants = VariantSerializer(many=True)
    repetitions = Number(default=1, max_value=MOST_RUNS)
    budget = Amount(required=False, allow_null=True, default=None, help_text="None for no limit.")
    max_calls = Number(allow_null=True, default=None, help_text="For models without a price.")
    sample = SampleSerializer(required=False, allow_null=True, default=None)
    tolerated_failures = serializers.FloatField(min_value=0, max_value=1, default=0.05)
    cache = Flag(default=True, help_text="false: ask what was answered before as well.")


class ContinueSerializer(Strict):
    budget = Amount(required=False, help_text="The new limit of all that the launch spends.")
