"""Experiments as JSON."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evaluations.experiments import edited_outputs, experiments, reading_steps
from evaluations.gates import sent
from evaluations.models import Experiment, GateCheck
from evaluations.prompts.named import MOST_CALLS
from evaluations.values import MOST_EVALUATORS

from ..answers import Answer, integers
from ..fields import AnyJSON, Flag, Id, Name, Number, Strict
from .comparison_shape import ComparisonWarningSerializer
from .price import Amount, Cost, PaidSerializer
from .run import RunSerializer, UsedEvaluatorSerializer


@extend_schema_field({"type": "object", "additionalProperties": {"type": "number"}})
class Margins(AnyJSON):
    """The smallest difference that matters (δ), by evaluator id."""


@extend_schema_field({"type": "object", "additionalProperties": {"type": "number"}})
class Ties(AnyJSON):
    """The largest difference that counts as a tie, by evaluator id; without one, 0.001 of the range of scores."""


class ExperimentSerializer(serializers.ModelSerializer[Experiment]):
    dataset = serializers.IntegerField(source="dataset_id")
    evaluators = serializers.SerializerMethodField()
    primary = serializers.IntegerField(source="primary_id", allow_null=True)
    margins = Margins()
    ties = Ties()
    budget_per_run = Cost(
        allow_null=True,
        help_text="What evaluators that call a server may spend on a run for which nobody names money.",
    )
    max_calls_per_run = serializers.IntegerField(allow_null=True)

    class Meta:
        model = Experiment
        fields: tuple[str, ...] = (
            "id",
            "name",
            "dataset",
            "dataset_version",
            "evaluators",
            "baseline",
            "primary",
            "margins",
            "ties",
            "budget_per_run",
            "max_calls_per_run",
            "created_at",
        )
        read_only_fields = fields

    @extend_schema_field(UsedEvaluatorSerializer(many=True))
    def get_evaluators(self, experiment: Experiment) -> Any:
        versions = [link.evaluator_version for link in experiment.evaluator_links.all()]
        return UsedEvaluatorSerializer(versions, many=True).data


class CopyingSerializer(serializers.Serializer[Any]):
    """How many edited examples have their outputs copied."""

    done = serializers.IntegerField()
    total = serializers.IntegerField()


class SentForGateSerializer(Answer):
    """A run that a pipeline sent for a gate, and the newest judgement of it; null before there is one."""

    id = serializers.IntegerField(source="run.pk")
    variant = serializers.CharField(source="run.variant")
    verdict = serializers.ChoiceField(
        GateCheck.Verdict.choices, source="check.verdict", default=None, allow_null=True
    )
    gate = serializers.IntegerField(source="check.gate_id", default=None, allow_null=True)
    check = serializers.IntegerField(source="check.pk", default=None, allow_null=True)


class ExperimentDetailSerializer(ExperimentSerializer):
    runs = RunSerializer(many=True, source="described_runs", help_text="The runs of its variants.")
    sent_for_gates = serializers.SerializerMethodField(
        help_text="Runs that a pipeline sent for a gate, newest first: no variants until `PATCH runs/{id}/` says "
        "`for_gate` false."
    )
    copying_outputs = serializers.SerializerMethodField(
        help_text="Set while outputs of edited examples are copied to a newer dataset version; scoring follows."
    )
    warnings = serializers.SerializerMethodField(
        help_text="Settings of its evaluators that are probably unintended."
    )

    class Meta(ExperimentSerializer.Meta):
        fields = (*ExperimentSerializer.Meta.fields, "runs", "sent_for_gates", "copying_outputs", "warnings")
        read_only_fields = fields

    @extend_schema_field(SentForGateSerializer(many=True))
    def get_sent_for_gates(self, experiment: Experiment) -> Any:
        return SentForGateSerializer(sent.to_experiment(experiment), many=True).data

    @extend_schema_field(CopyingSerializer(allow_null=True))
    def get_copying_outputs(self, experiment: Experiment) -> dict[str, Any] | None:
        copying = edited_outputs.of_experiment(experiment)
        return CopyingSerializer(copying).data if copying else None

    @extend_schema_field(ComparisonWarningSerializer(many=True))
    def get_warnings(self, experiment: Experiment) -> list[dict[str, str]]:
        sentences = experiments.warnings(experiment)
        return [{"code": "whole_reference", "message": sentence} for sentence in sentences]


class NewExperimentSerializer(Strict):
    name = Name()
    dataset = Id()
    evaluators = serializers.ListField(child=Id(), max_length=MOST_EVALUATORS, required=False, default=list)


class NumberOrNone(serializers.FloatField):
    """A number, or null for none."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_null=True, **options)

    def run_validation(self, data: Any = serializers.empty) -> float | None:
        if isinstance(data, (str, bool)):
            raise serializers.ValidationError("A number is expected.")
        number: float | None = super().run_validation(data)
        return number


def _by_evaluator(what: str) -> serializers.DictField:
    return serializers.DictField(child=NumberOrNone(), required=False, help_text=what)


class ExperimentChangeSerializer(Strict):
    name = Name(required=False)
    baseline = Name(required=False, help_text="The variant that the others are compared with by default.")
    primary = Id(required=False, help_text="The primary evaluator, which decides the verdict.")
    margins = _by_evaluator(
        "The smallest difference that matters, by evaluator id. null removes a margin; omitted margins stay."
    )
    ties = _by_evaluator(
        "The largest difference of an example that counts as a tie, by evaluator id. null is the usual one; omitted "
        "ones stay."
    )
    budget_per_run = Amount(
        required=False,
        allow_null=True,
        help_text="What evaluators that call a server may spend on each run for which nobody names money, such as "
        "0.50; null for nothing.",
    )
    max_calls_per_run = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=MOST_CALLS,
        help_text="How many calls they may make for each such run, for models without a price; null for none.",
    )

    def validate_margins(self, margins: dict[str, float | None]) -> dict[int, float | None]:
        return _with_ids("margins", margins)

    def validate_ties(self, ties: dict[str, float | None]) -> dict[int, float | None]:
        return _with_ids("ties", ties)


def _with_ids(field: str, numbers: dict[str, float | None]) -> dict[int, float | None]:
    if not all(pk.isascii() and pk.isdigit() and len(pk) < 19 for pk in numbers):
        raise serializers.ValidationError(f"The names in `{field}` must be ids of evaluators.")
    return {int(pk): number for pk, number in numbers.items()}


class ExperimentEvaluatorsSerializer(PaidSerializer):
    evaluators = serializers.ListField(child=Id(), min_length=1, max_length=MOST_EVALUATORS)
    estimate_only = Flag(
        required=False, help_text="true: only say what embeddings and judges would cost; nothing is scored."
    )


class ReadingOfferSerializer(serializers.Serializer[Any]):
    """A step that answers need: how many of those looked at, and the evaluators that would read by it."""

    step = serializers.ChoiceField(choices=reading_steps.STEPS)
    answers = serializers.IntegerField()
    seen = serializers.IntegerField()
    evaluators = integers(source="evaluator_ids")


class ReadingOffersSerializer(serializers.Serializer[Any]):
    offers = ReadingOfferSerializer(many=True)


class ReadingStepSerializer(Strict):
    step = serializers.ChoiceField(choices=reading_steps.STEPS)


class StepVersionSerializer(serializers.Serializer[Any]):
    """An evaluator with its new version and the one before; undo takes the one before."""

    evaluator = serializers.IntegerField()
    version = serializers.IntegerField()
    before = serializers.IntegerField()


class ReadingTakenSerializer(serializers.Serializer[Any]):
    """The new versions, and the runs that are scored."""

    versions = StepVersionSerializer(many=True, source="changes")
    runs = integers(source="run_ids")


class EarlierVersionSerializer(Strict):
    evaluator = Id()
    version = serializers.IntegerField(min_value=1)


class ReadingUndoSerializer(Strict):
    versions = serializers.ListField(
        child=EarlierVersionSerializer(), min_length=1, max_length=MOST_EVALUATORS
    )


class UseVersionSerializer(Strict):
    version = Number(help_text="A version of the dataset; without it, the newest.")


class AskSerializer(Strict):
    budget = Amount(
        required=False, help_text="The new limit for the total cost of each launch that continues."
    )
    max_calls = Number(help_text="The new limit for the total number of calls of each launch that continues.")
    estimate_only = Flag(default=False)
