"""Trials of prompts, their answers and costs, as JSON."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evaluations.models import TrialAnswer
from evaluations.playground import examples, trials
from evaluations.values import JSON, LONGEST_NAME, MOST_EVALUATORS, output_value

from ..fields import AnyJSON, Flag, Id, Name, Number, Object, Strict, Text
from .price import Amount, Cost

STATES = ["queued", "asking", "scoring", "answered", "failed", "stopped"]


class TrialVariantSerializer(Strict):
    version = Number(help_text="The version of the prompt. Default: the newest.")
    name = Name(
        required=False,
        help_text="The name of the variant. Default: the version, and the model if one is sent.",
    )
    model = Text(
        required=False, max_length=LONGEST_NAME, help_text="The model to use instead of the version's."
    )
    parameters = Object(
        required=False,
        help_text="Added to the parameters of the version; parameters with the same name are replaced.",
    )


class TrialSampleSerializer(Strict):
    size = Number(default=examples.MOST_EXAMPLES, max_value=examples.MOST_EXAMPLES)
    seed = Number(default=1, help_text="The same seed selects the same examples.")


class WorstSerializer(Strict):
    run = Id()
    evaluator = Id()
    size = Number(default=examples.MOST_EXAMPLES, max_value=examples.MOST_EXAMPLES)


class TypedExampleSerializer(Strict):
    inputs = Object()
    reference = AnyJSON(required=False, allow_null=True)
    metadata = Object(required=False)


class NewTrialSerializer(Strict):
    """The examples are `positions` or a `sample` of a `dataset`, the `worst` of a run, or typed `inputs`."""

    variants = TrialVariantSerializer(many=True, required=False, default=lambda: [{}])
    dataset = Id(required=False)
    positions = serializers.ListField(child=Number(required=True), required=False, max_length=100)
    sample = TrialSampleSerializer(required=False)
    worst = WorstSerializer(required=False)
    inputs = TypedExampleSerializer(many=True, required=False)
    evaluators = serializers.ListField(child=Id(), max_length=MOST_EVALUATORS, required=False, default=list)
    budget = Amount(required=False, allow_null=True, default=None, help_text="Maximum cost of the trial.")
    cache = Flag(default=True, help_text="false: repeat calls whose answers were already paid for.")


class CellSerializer(Strict):
    """One answer by the indices of its variant and example, from 0; without both, all answers are meant."""

    variant = Number(min_value=0)
    example = Number(min_value=0)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if len(attrs) == 1:
            raise serializers.ValidationError("Send both variant and example, or neither.")
        return attrs


class AskedVariantSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    version = serializers.IntegerField(allow_null=True, help_text="Null for a draft.")
    model = serializers.CharField()
    parameters = Object()
    connection = serializers.IntegerField()


class TrialExampleSerializer(serializers.Serializer[Any]):
    position = serializers.IntegerField(allow_null=True, help_text="Null for typed inputs.")
    key = serializers.CharField(allow_null=True)
    inputs = Object()
    reference = Object()

    def to_representation(self, row: dict[str, Any]) -> dict[str, Any]:
        shown = {name: examples.part(row, name) for name in ("inputs", "reference")}
        return {"position": row["position"], "key": row["key"]} | shown


class ErrorSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    message = serializers.CharField()
    hint = serializers.CharField(required=False)


class TrialScoreSerializer(serializers.Serializer[Any]):
    evaluator = serializers.IntegerField()
    name = serializers.CharField()
    value = serializers.FloatField(allow_null=True)
    passed = serializers.BooleanField(allow_null=True)
    label = serializers.CharField(allow_null=True)  # type: ignore[assignment] # a field of this name, not the property
    status = serializers.CharField()
    message = serializers.CharField()


class TrialAnswerSerializer(serializers.ModelSerializer[TrialAnswer]):
    """`variant` and `example` are indices into their lists, from 0. A failed answer may have an output too.

    `partial` is the beginning of an answer that still arrives.
    """

    status = serializers.SerializerMethodField()
    output = serializers.SerializerMethodField()
    error = ErrorSerializer(allow_null=True)
    cost = Cost(allow_null=True)
    scores = TrialScoreSerializer(many=True)

    class Meta:
        model = TrialAnswer
        fields = (
            "variant",
            "example",
            "status",
            "output",
            "partial",
            "error",
            "finish_reason",
            "model",
            "tokens_in",
            "tokens_out",
            "cost",
            "latency_ms",
            "cached",
            "scores",
        )
        read_only_fields = fields

    @extend_schema_field({"type": "string", "enum": STATES})
    def get_status(self, answer: TrialAnswer) -> str:
        return trials.status_of(answer)

    @extend_schema_field({"description": "A text, or the JSON of tool calls."})
    def get_output(self, answer: TrialAnswer) -> JSON:
        return output_value(answer.text, answer.is_json)


class TrialSerializer(serializers.Serializer[Any]):
    """`spent` is the cost of finished calls plus the maximum cost of calls in progress; it never exceeds `budget`."""

    id = serializers.IntegerField(source="trial.pk")
    prompt = serializers.IntegerField(source="trial.prompt_id")
    status = serializers.ChoiceField(choices=["running", "completed", "stopped"])
    dataset = serializers.IntegerField(source="trial.dataset_id", allow_null=True)
    variants = AskedVariantSerializer(source="trial.variants", many=True)
    examples = TrialExampleSerializer(source="trial.examples", many=True)
    answers = TrialAnswerSerializer(many=True)
    budget = Cost(source="trial.budget.limit")
    spent = Cost(source="trial.budget.committed")
    created_at = serializers.DateTimeField(source="trial.created_at")
