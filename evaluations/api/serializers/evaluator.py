"""Evaluators, evaluator kinds, and scores of texts in a request, as JSON."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evaluations import kinds
from evaluations.evaluators import evaluators
from evaluations.models import Evaluator, EvaluatorVersion
from evaluations.values import BETTER

from ..answers import floats, strings
from ..fields import AnyJSON, Flag, Id, Name, Object, Rows, Strict, Text
from .price import Amount
from .run import SummarySerializer

ITEM = dict.fromkeys(("actual", "expected", "input", "output", "reference", "metadata", "scores"), ())


class PresetSerializer(serializers.Serializer[Any]):
    """A preset: an evaluator kind with the settings of another product."""

    key = serializers.CharField()
    title = serializers.CharField()
    config = Object()
    product = serializers.CharField()


class VectorSerializer(serializers.Serializer[Any]):
    """A golden vector: a pair with its expected result; `why` shows the calculation."""

    actual = AnyJSON(allow_null=True)
    expected = AnyJSON(allow_null=True)
    config = Object()
    value = serializers.FloatField(allow_null=True)
    passed = serializers.BooleanField(allow_null=True)
    status = serializers.CharField()
    why = serializers.CharField()
    embeddings = serializers.ListField(
        child=floats(),
        allow_null=True,
        help_text="Vectors to use instead of a server's answers, if the kind needs a server.",
    )


class KindSerializer(serializers.Serializer[Any]):
    """An evaluator kind: what it computes, its settings, and the range of its scores."""

    key = serializers.CharField()
    title = serializers.CharField()
    description = serializers.CharField()
    version = serializers.IntegerField(
        help_text="The algorithm version; it increases when the same input would give a different score."
    )
    source = serializers.CharField()  # type: ignore[assignment] # a field of this name, not the property
    when = serializers.CharField(source="advice.when", help_text="What the kind is for.")
    unless = serializers.CharField(source="advice.unless", help_text="When another kind is better.")
    see = strings(source="advice.see", help_text="Keys of kinds for other cases.")
    formula = serializers.CharField(source="contract.formula", help_text="The formula in words.")
    edge_cases = strings(source="contract.edge_cases")
    golden = VectorSerializer(source="contract.golden", many=True)
    parameters = strings()
    config = Object(source="schema", help_text="JSON Schema of an evaluator's `config`.")
    direction = serializers.ChoiceField([*BETTER])
    bounds = serializers.SerializerMethodField(
        help_text="The lowest and highest score with the default config; null: no bound."
    )
    needs_connection = serializers.BooleanField()
    presets = serializers.SerializerMethodField()

    @extend_schema_field({"type": "array", "items": {"type": ["number", "null"]}})
    def get_bounds(self, kind: kinds.Kind) -> list[float | None]:
        return list(kind.bounds(kind.Config.model_construct()))

    @extend_schema_field(PresetSerializer(many=True))
    def get_presets(self, kind: kinds.Kind) -> Any:
        presets = [preset for preset in kinds.presets.PRESETS if preset.kind == kind.key]
        return PresetSerializer(presets, many=True).data


class EvaluatorSerializer(serializers.ModelSerializer[Evaluator]):
    """An evaluator; kind, config and mapping are those of its newest version."""

    kind = serializers.SerializerMethodField()
    kind_version = serializers.SerializerMethodField()
    config = serializers.SerializerMethodField()
    mapping = serializers.SerializerMethodField()
    warnings = serializers.SerializerMethodField(help_text="Settings that are valid but probably unintended.")
    used_by = serializers.IntegerField(help_text="The number of runs with scores by one of its versions.")

    class Meta:
        model = Evaluator
        fields = (
            "id",
            "name",
            "version",
            "kind",
            "kind_version",
            "config",
            "mapping",
            "connection",
            "warnings",
            "used_by",
            "created_at",
        )
        read_only_fields = fields

    def get_kind(self, evaluator: Evaluator) -> str:
        return newest(evaluator).kind

    def get_kind_version(self, evaluator: Evaluator) -> int:
        return newest(evaluator).kind_version

    def get_config(self, evaluator: Evaluator) -> dict[str, Any]:
        config: dict[str, Any] = newest(evaluator).config
        return config

    def get_mapping(self, evaluator: Evaluator) -> dict[str, Any]:
        mapping: dict[str, Any] = newest(evaluator).mapping
        return mapping

    def get_warnings(self, evaluator: Evaluator) -> list[str]:
        return evaluators.warnings(newest(evaluator))


def newest(evaluator: Evaluator) -> EvaluatorVersion:
    """The newest version of an evaluator, as `with_figures` prefetched it."""
    versions: list[EvaluatorVersion] = evaluator.newest_versions  # type: ignore[attr-defined]
    return versions[0]


class EvaluatorVersionSerializer(serializers.Serializer[Any]):
    version = serializers.IntegerField(source="number")
    kind = serializers.CharField()
    kind_version = serializers.IntegerField()
    config = Object()
    mapping = Object()
    created_at = serializers.DateTimeField()


@extend_schema_field({"type": "string", "enum": [*kinds.CATALOGUE, *kinds.JUDGES]})
class KindKey(Text):
    """The key of an evaluator kind. Unknown keys are refused later, with a list of the valid ones."""


class NewEvaluatorSerializer(Strict):
    name = Name()
    kind = KindKey()
    config = Object(required=False, default=dict)
    mapping = Object(required=False, default=dict)
    connection = Id(
        required=False, help_text="The server that a judge asks; by default the project's connection."
    )


class EvaluatorChangeSerializer(Strict):
    """Omitted fields stay unchanged; a new config, mapping or formula creates a new version."""

    name = Name(required=False)
    config = Object(required=False)
    mapping = Object(required=False)
    connection = Id(
        required=False,
        allow_null=True,
        help_text="The server that a judge asks, null for the project's. This makes no version.",
    )
    kind_version = serializers.IntegerField(
        required=False,
        min_value=1,
        help_text="The version of the formula. Without it, an evaluator keeps the formula that it was saved with.",
    )


class ItemSerializer(Strict):
    """One item to score: `actual` and `expected`, or the parts that a mapping reads."""

    actual = AnyJSON(required=False, allow_null=True)
    expected = AnyJSON(required=False, allow_null=True)
    input = AnyJSON(required=False, allow_null=True)
    output = AnyJSON(required=False, allow_null=True)
    reference = AnyJSON(required=False, allow_null=True)
    metadata = AnyJSON(required=False, allow_null=True)
    scores = AnyJSON(required=False, allow_null=True)


@extend_schema_field(ItemSerializer(many=True))
class Items(Rows):
    def __init__(self, **options: Any):
        super().__init__(kinds=ITEM, **options)


class ItemsSerializer(Strict):
    kind = KindKey()
    config = Object(required=False, default=dict)
    mapping = Object(required=False, default=dict)
    items = Items()
    explain = Flag(required=False, default=False)
    budget = Amount(required=False, help_text="What a kind that calls a server may spend, such as 0.01.")
    max_calls = serializers.IntegerField(
        required=False, min_value=1, help_text="How many calls it may make, for models without a price."
    )


class ScoreSerializer(serializers.Serializer[Any]):
    value = serializers.FloatField(allow_null=True)
    passed = serializers.BooleanField(allow_null=True)
    label = serializers.ChoiceField(["pass", "fail"], allow_null=True)  # type: ignore[assignment] # a field of this name, not the property
    status = serializers.CharField()
    message = serializers.CharField()
    detail = Object(required=False)


class ScoresSerializer(serializers.Serializer[Any]):
    results = ScoreSerializer(many=True)
    summary = SummarySerializer()
