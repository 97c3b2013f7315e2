"""Gates, their criteria and checks, as JSON."""

from typing import Any, get_args

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evaluations.gates.criteria import FIGURES, LARGEST, MOST_CRITERIA, RULES
from evaluations.gates.results import Verdict
from evaluations.models import Gate, GateCheck
from evaluations.statistics.intervals import PERCENT
from evaluations.values import BETTER, Missing

from ..answers import integers, strings
from ..fields import AnyJSON, Flag, Id, IntegerText, Name, Strict, Text
from .page import NoQuery
from .split import NamedSplitSerializer, SplitName


class Figure(serializers.FloatField):
    """A JSON number; a text with digits is refused."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"required": False, "min_value": -LARGEST, "max_value": LARGEST} | options)

    def run_validation(self, data: Any = serializers.empty) -> float | None:
        if isinstance(data, (str, bool)):
            raise serializers.ValidationError("A number is expected.")
        value: float | None = super().run_validation(data)
        return value


class CriterionSerializer(Strict):
    """One condition of a gate; docs/gate.md lists the rules and the fields of each."""

    rule = serializers.ChoiceField(RULES)
    evaluator = Id(required=False)
    value = Figure(help_text="The limit of the criterion, for rules that have one.")
    margin = Figure(help_text="For `not_worse`: the largest loss that does not matter, above 0.")
    figure = serializers.ChoiceField(
        FIGURES, required=False, help_text="What `at_least` and `at_most` limit."
    )
    helper = Id(
        required=False,
        allow_null=True,
        help_text="For labels of people with `not_worse` and `better`: the evaluator that helps them. Default: the one "
        "whose sealed labels were opened first; null: the labels alone.",
    )
    unchecked = Flag(required=False, help_text="true: take a judge that is not checked against people.")


class NewGateSerializer(Strict):
    name = Name()
    dataset = Id(required=False, help_text="The dataset; it must be that of the baseline.")
    baseline = Id(help_text="The run that other runs are compared with.")
    criteria = serializers.ListField(child=CriterionSerializer(), min_length=1, max_length=MOST_CRITERIA)
    split = SplitName(
        required=False, allow_null=True, default=None, help_text="Only examples of this split count."
    )
    missing = serializers.ChoiceField(get_args(Missing), default="worst")
    accepts_inconclusive = Flag(default=False, help_text="Whether an inconclusive check counts as passed.")


class GateChangeSerializer(Strict):
    """Omitted fields stay unchanged. Any change except of the name locks the gate again, with another `hash`."""

    name = Name(required=False)
    baseline = Id(required=False)
    criteria = serializers.ListField(
        child=CriterionSerializer(), min_length=1, max_length=MOST_CRITERIA, required=False
    )
    split = SplitName(required=False, allow_null=True, help_text="null: all examples count.")
    missing = serializers.ChoiceField(get_args(Missing), required=False)
    accepts_inconclusive = Flag(required=False)


class GateSerializer(serializers.ModelSerializer[Gate]):
    """Criteria that a run must meet against a fixed baseline.

    `hash` covers everything on which a verdict depends except the run: dataset version, baseline, criteria, and the
    versions of the evaluators with their settings.
    """

    dataset = Id(source="dataset_id")
    dataset_version = serializers.IntegerField(source="lock.dataset.version")
    baseline = Id(source="baseline_id", allow_null=True)
    criteria = CriterionSerializer(many=True)
    split = NamedSplitSerializer(allow_null=True)
    missing = serializers.ChoiceField(get_args(Missing))

    class Meta:
        model = Gate
        fields = (
            "id",
            "name",
            "dataset",
            "dataset_version",
            "baseline",
            "split",
            "criteria",
            "missing",
            "accepts_inconclusive",
            "hash",
            "locked_at",
            "created_at",
        )
        read_only_fields = fields

    def to_representation(self, gate: Gate) -> dict[str, Any]:
        """The gate with its criteria as they are sent, without fields that their rule does not have."""
        return super().to_representation(gate) | {"criteria": gate.criteria}


class CheckSerializer(Strict):
    run = Id(help_text="A completed run on the dataset of the gate.")
    hash = Text(
        required=False,
        max_length=64,
        help_text="The hash that the caller expects; if the gate has another hash, the verdict is CHANGED.",
    )


class CheckQuery(NoQuery):
    run = IntegerText(min_value=1)
    hash = Text(required=False, max_length=64)


class EvaluatorOfResultSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    name = serializers.CharField()


@extend_schema_field({"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2})
class Ends(AnyJSON):
    """The bounds of an interval."""


class ResultOfCriterionSerializer(serializers.Serializer[Any]):
    """A criterion with its result."""

    rule = serializers.ChoiceField(RULES)
    evaluator = EvaluatorOfResultSerializer(allow_null=True)
    value = serializers.FloatField(allow_null=True)
    margin = serializers.FloatField(allow_null=True)
    figure = serializers.ChoiceField(FIGURES, allow_null=True)
    title = serializers.CharField(help_text="The condition in words.")
    words = serializers.CharField(help_text="What was measured, in words.")
    baseline_words = serializers.CharField(
        required=False, help_text="The value of the baseline with its unit; missing in early checks."
    )
    verdict = serializers.ChoiceField(get_args(Verdict))
    direction = serializers.ChoiceField([*BETTER], allow_null=True)
    measured = serializers.FloatField(allow_null=True, help_text="The value of the run.")
    baseline = serializers.FloatField(allow_null=True, help_text="The value of the baseline.")
    difference = serializers.FloatField(allow_null=True, help_text="Run minus baseline.")
    interval = Ends(
        allow_null=True, help_text=f"The {PERCENT} interval, joint for all criteria of its family."
    )
    interval_90 = Ends(
        allow_null=True,
        help_text="The 90 % interval, which a margin is compared with. It is `interval` where few examples changed and "
        "their exact test has no value between the two levels: then it covers at least 95 %.",
    )
    n = serializers.IntegerField(allow_null=True)
    examples_needed = serializers.IntegerField(
        allow_null=True,
        help_text="About how many more examples decide the criterion in 4 of 5 cases, if the difference stays as "
        "measured.",
    )
    reason = serializers.CharField(help_text="Why nothing could be measured; otherwise empty.")
    positions = integers(help_text="The first newly failing examples.")


class GateCheckSerializer(serializers.ModelSerializer[GateCheck]):
    """The verdict of a gate on a run. `id` is null if the check is not stored."""

    gate = Id(source="gate_id")
    run = Id(source="run_id")
    id = serializers.IntegerField(allow_null=True)
    verdict = serializers.ChoiceField(GateCheck.Verdict.values)
    green = serializers.BooleanField(source="is_green", help_text="Whether a pipeline can continue.")
    criteria = ResultOfCriterionSerializer(many=True, source="results")
    changes = strings(help_text="Why the verdict is `changed`.")
    examples_needed = serializers.IntegerField(
        allow_null=True, help_text="The largest `examples_needed` of the open criteria, if all have one."
    )

    class Meta:
        model = GateCheck
        fields = (
            "id",
            "gate",
            "run",
            "verdict",
            "green",
            "sentence",
            "examples_needed",
            "criteria",
            "changes",
            "hash",
            "created_at",
        )
        read_only_fields = fields
