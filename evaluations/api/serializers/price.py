"""Prices of models as JSON."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evaluations.models import Price
from evaluations.prompts import money
from evaluations.values import LONGEST_NAME

from ..fields import Id, Strict, Text


@extend_schema_field({"type": "string", "pattern": f"^{money.WRITTEN}$"})
class Amount(Text):
    """A decimal number as a text, checked by the use case."""


class PerMillion(serializers.CharField):
    def to_representation(self, value: Any) -> str:
        return money.price_text(value)


class Cost(serializers.CharField):
    def to_representation(self, value: Any) -> str:
        return money.cost_text(value)


@extend_schema_field({"type": "string", "format": "date"})
class Day(serializers.DateField):
    """A day as 2026-11-22."""

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, str):
            raise serializers.ValidationError("Must be a text.")
        return super().to_internal_value(data)


class PriceSerializer(serializers.ModelSerializer[Price]):
    """The price of a model per million tokens, valid from a day, in the currency of the project."""

    input = PerMillion()
    cached = PerMillion(allow_null=True)
    output = PerMillion()

    class Meta:
        model = Price
        fields = ("id", "model", "input", "cached", "output", "valid_from")
        read_only_fields = fields


class NewPriceSerializer(Strict):
    model = Text(max_length=LONGEST_NAME)
    input = Amount()
    output = Amount()
    cached = Amount(
        required=False,
        allow_null=True,
        default=None,
        help_text="null: cached tokens cost as much as other input tokens.",
    )
    valid_from = Day(required=False, help_text="The first day of the price. Default: today.")


class PaidSerializer(Strict):
    """What evaluators that call a server may spend: judges, and embeddings by a connection."""

    budget = Amount(
        required=False,
        help_text="What evaluators that call a server may spend, such as 0.50. Without money they call none.",
    )
    max_calls = serializers.IntegerField(
        required=False, min_value=1, help_text="How many calls they may make, for models without a price."
    )
    against = Id(
        required=False, help_text="The run that a judge of pairs compares with; by default the first one's."
    )


class PaidScoreSerializer(serializers.Serializer[Any]):
    """At most about so many texts and tokens; the cost is null where the model has no price."""

    evaluator = serializers.IntegerField(source="evaluator_id")
    texts = serializers.IntegerField()
    tokens = serializers.IntegerField()
    cost = serializers.FloatField(allow_null=True)
