"""Launches, their estimates and interim looks, as JSON."""

from typing import Any, get_args

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evaluations.judges import readings
from evaluations.launches import estimates, states, stopping
from evaluations.launches.plans import MOST_RUNS
from evaluations.models import Launch
from evaluations.prompts import ledger, money
from evaluations.statistics.sequential import Outcome
from evaluations.values import LONGEST_NAME, MOST_EVALUATORS

from ..answers import integers
from ..fields import AnyJSON, Flag, Id, Name, Number, Object, Strict, Text
from .judging import ReadingSerializer
from .price import Amount, Cost, PaidScoreSerializer
from .split import NamedSplitSerializer, SplitName


class LaunchProgressSerializer(serializers.Serializer[Any]):
    """Answers of all runs, failed ones included."""

    done = serializers.IntegerField()
    total = serializers.IntegerField()


@extend_schema_field({"type": "object", "additionalProperties": {"type": "integer"}})
class Counts(AnyJSON):
    """Failed answers, counted by the code of their error."""


class RoundedCost(serializers.CharField):
    """A cost as a text, rounded, because the bounds of a range are not whole numbers."""

    def to_representation(self, value: Any) -> str:
        return money.cost_text(round(value))


class TrialEstimateSerializer(serializers.Serializer[Any]):
    calls = serializers.IntegerField(source="calls.high")
    cost = RoundedCost(source="cost.high", allow_null=True, help_text="The highest cost.")


class RangeSerializer(serializers.Serializer[Any]):
    low = serializers.FloatField()
    high = serializers.FloatField()


class CostRangeSerializer(serializers.Serializer[Any]):
    low = RoundedCost()
    high = RoundedCost()


class DetectionSerializer(serializers.Serializer[Any]):
    """The power of the launch on the primary evaluator: it detects a difference of `smallest` with 80 % power (null:
    none), and the `margin` with the probability `chance`. `spread` is the standard deviation of score differences,
    estimated from `pairs` of answers; with 0 pairs it is assumed. `needed` examples detect the margin with 80 % power.
    """

    smallest = serializers.FloatField(allow_null=True)
    spread = serializers.FloatField()
    pairs = serializers.IntegerField()
    margin = serializers.FloatField(allow_null=True)
    chance = serializers.FloatField(allow_null=True)
    equivalence = serializers.BooleanField(
        allow_null=True,
        help_text="Whether this number of examples is enough to show that equal variants are"
        " equivalent within the margin.",
    )
    needed = serializers.IntegerField(allow_null=True)
    is_earlier = serializers.BooleanField(
        help_text="Whether the pairs are those of earlier runs of the dataset."
    )


class EstimateSerializer(serializers.Serializer[Any]):
    """What the rest of the launch takes, as ranges; null if unknown. The estimate uses `answers` earlier answers of
    each variant; if that is 0, it uses the bytes of requests, and `trial` is the estimate for 20 examples.
    """

    calls = RangeSerializer()
    tokens_in = RangeSerializer()
    tokens_out = RangeSerializer(allow_null=True)
    cost = CostRangeSerializer(allow_null=True)
    minutes = RangeSerializer(allow_null=True)
    answers = serializers.IntegerField()
    trial = TrialEstimateSerializer(source="pilot", allow_null=True)
    detects = DetectionSerializer(allow_null=True)


class EstimateOnlySerializer(serializers.Serializer[Any]):
    estimate = EstimateSerializer()
    judges = PaidScoreSerializer(
        many=True, required=False, help_text="What the evaluators that call a server would cost besides."
    )


class StopSerializer(serializers.Serializer[Any]):
    """With `all`, every example is run. With `decided`, a variant stops once it is better, worse, or equivalent
    within the margin.
    """

    when = serializers.ChoiceField(choices=("all", "decided"))
    margin = serializers.FloatField(allow_null=True)

    def to_representation(self, launch: Launch) -> dict[str, Any]:
        return (
            {"when": "decided", "margin": launch.stop["margin"]}
            if launch.stop
            else {"when": "all", "margin": None}
        )


class InterimSerializer(serializers.Serializer[Any]):
    """One look at a variant: the interval of its difference from the baseline, corrected for repeated looks."""

    run = serializers.IntegerField(source="run_id")
    n = serializers.IntegerField(help_text="Examples for which the answers of both variants are settled.")
    low = serializers.FloatField()
    high = serializers.FloatField()
    mean = serializers.FloatField(allow_null=True)
    baseline_mean = serializers.FloatField(allow_null=True)
    outcome = serializers.ChoiceField(
        choices=get_args(Outcome),
        help_text="The decision; empty while the variant continues.",
    )


class LaunchSerializer(serializers.ModelSerializer[Launch]):
    """`spent` is the cost of finished calls plus the maximum cost of calls in progress; it never exceeds `budget`."""

    experiment = serializers.IntegerField(source="experiment_id")
    runs = integers()
    status = serializers.ChoiceField(choices=Launch.Status.choices)
    budget = Cost(source="budget.limit", allow_null=True)
    spent = Cost(source="budget.committed")
    spent_unknown = Cost(
        allow_null=True,
        help_text="The part of `spent` that is the maximum cost of calls whose outcome is unknown; null in lists.",
    )
    max_calls = serializers.IntegerField(source="budget.max_calls", allow_null=True)
    calls = serializers.IntegerField(source="budget.calls")
    progress = LaunchProgressSerializer()
    stop = StopSerializer(source="*")
    sequence = InterimSerializer(many=True, help_text="All looks at each variant; empty in lists.")
    errors = Counts()  # type: ignore[assignment] # a field of this name, not the property
    estimate = EstimateSerializer(
        allow_null=True,
        help_text="The estimate for the missing answers; null in lists and once no answer is missing.",
    )
    tolerated_failures = serializers.FloatField(source="tolerated")
    split = NamedSplitSerializer(allow_null=True)
    judges = ReadingSerializer(
        many=True, help_text="The evaluators that call a server with the money of the launch; empty in lists."
    )

    class Meta:
        model = Launch
        fields = (
            "id",
            "experiment",
            "runs",
            "status",
            "budget",
            "spent",
            "spent_unknown",
            "max_calls",
            "calls",
            "progress",
            "stop",
            "sequence",
            "errors",
            "estimate",
            "judges",
            "split",
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
        launch_states = self.context.get("launch_states") or states.of_launches([launch])
        launch_state = launch_states[launch.pk]
        for name in ("runs", "status", "progress", "errors"):
            setattr(launch, name, getattr(launch_state, name))
        launch.finished_at = launch.finished_at or launch_state.ended_at
        is_alone = "launch_states" not in self.context
        launch.spent_unknown = ledger.unknown_of(launch.budget) if is_alone else None  # type: ignore[attr-defined]
        launch.judges = readings.of(launch.budget) if is_alone else []  # type: ignore[attr-defined]
        launch.sequence = stopping.sequence(launch) if is_alone else []  # type: ignore[attr-defined]
        launch.estimate = (  # type: ignore[attr-defined]
            estimates.of_launch(launch) if is_alone and launch_state.progress.calls_left else None
        )
        return super().to_representation(launch)


class VariantSerializer(Strict):
    prompt = Id()
    version = Number(help_text="The version of the prompt. Default: the newest.")
    name = Name(
        required=False, help_text="The name of the variant. Default: the prompt, its version and the model."
    )
    model = Text(
        required=False, max_length=LONGEST_NAME, help_text="The model to use instead of the prompt's."
    )
    parameters = Object(
        required=False,
        help_text="Added to the parameters of the prompt; parameters with the same name are replaced.",
    )


class SampleSerializer(Strict):
    size = Number(required=True)
    seed = Number(help_text="The same seed selects the same examples.")


class NewStopSerializer(Strict):
    when = serializers.ChoiceField(choices=("all", "decided"))
    margin = serializers.FloatField(
        required=False, help_text="The smallest difference that matters; required to stop early."
    )

    def validate(self, body: dict[str, Any]) -> dict[str, Any]:
        if body["when"] == "decided" and "margin" not in body:
            raise serializers.ValidationError({"margin": "A launch that stops early needs a margin."})
        return body


class NewLaunchSerializer(Strict):
    """Takes either an `experiment`, or the `name` and `dataset` of a new one with its `evaluators`."""

    experiment = Id(required=False)
    name = Name(required=False)
    dataset = Id(required=False)
    evaluators = serializers.ListField(child=Id(), max_length=MOST_EVALUATORS, required=False, default=list)
    variants = VariantSerializer(many=True)
    baseline = Text(
        required=False,
        default="",
        max_length=LONGEST_NAME,
        help_text="The name of the variant that the others are compared with. By default that of the dataset's last"
        " experiment if it is among the variants, else the oldest version; an experiment with runs keeps its own.",
    )
    repetitions = Number(default=1, max_value=MOST_RUNS)
    budget = Amount(
        required=False,
        allow_null=True,
        default=None,
        help_text="Maximum cost of the launch; null for no limit. With it or `max_calls`, evaluators that call a"
        " server score each run as soon as it is complete, and pay from it.",
    )
    max_calls = Number(
        allow_null=True, default=None, help_text="Maximum number of calls, for models without a price."
    )
    stop = NewStopSerializer(required=False, default=None)
    sample = SampleSerializer(required=False, allow_null=True, default=None)
    split = SplitName(
        required=False,
        allow_null=True,
        default=None,
        help_text="The launch uses only the examples of this split; a sample is drawn from them.",
    )
    tolerated_failures = serializers.FloatField(min_value=0, max_value=1, default=0.05)
    trial = Flag(default=False, help_text="true: run 20 examples, then wait for continue/.")
    estimate_only = Flag(default=False, help_text="true: return the estimate, and store nothing.")
    cache = Flag(default=True, help_text="false: repeat calls whose answers were already paid for.")
    for_gate = Flag(
        default=False,
        help_text="true: a pipeline asks for these answers to have them checked by a gate; its runs are no variants.",
    )
    judges = Flag(default=True, help_text="false: no evaluator calls a server with the money of the launch.")


class ContinueSerializer(Strict):
    budget = Amount(required=False, help_text="The new limit for the total cost of the launch.")
    max_calls = Number(help_text="The new limit for the total number of calls of the launch.")
