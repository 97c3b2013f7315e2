"""Splits and their rules as JSON."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evaluations.datasets import splits
from evaluations.datasets.splits import Rule
from evaluations.models import Split
from evaluations.models.fields import longest
from evaluations.numerals import grouped
from evaluations.values import LARGEST_POSITION

from ..fields import Id, IntegerText, Name, Number, Strict, Text
from .page import NoQuery, PageQuery

MOST_VALUES = 1_000


@extend_schema_field({"oneOf": [{"type": "string"}, {"type": "integer"}]})
class SplitName(Text):
    """The name or id of a split."""

    def to_internal_value(self, data: Any) -> str:
        return str(data) if type(data) is int else super().to_internal_value(data)


class NamedSplitSerializer(serializers.ModelSerializer[Split]):
    class Meta:
        model = Split
        fields = ("id", "name")
        read_only_fields = fields


@extend_schema_field(
    {
        "type": "object",
        "additionalProperties": {
            "oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]
        },
    }
)
class Filter(serializers.Field[Any, Any, Any, Any]):
    """Metadata columns with one value each, or several of which one must match."""

    def to_internal_value(self, data: Any) -> list[tuple[str, str]]:
        if not isinstance(data, dict):
            raise serializers.ValidationError("Must be an object.")
        pairs = [(column, value) for column, values in data.items() for value in _listed(values)]
        if len(pairs) > MOST_VALUES:
            raise serializers.ValidationError(f"At most {grouped(MOST_VALUES)} values.")
        return pairs

    def to_representation(self, value: Any) -> dict[str, list[str]]:
        columns: dict[str, list[str]] = {}
        for column, text in value:
            columns.setdefault(column, []).append(text)
        return columns


def _listed(values: Any) -> list[str]:
    listed = values if isinstance(values, list) else [values]
    if not listed or not all(isinstance(value, str) for value in listed):
        raise serializers.ValidationError(
            "A value is a text, as in metadata[column]=value; several are a list of texts."
        )
    return listed


class Share(serializers.FloatField):
    def to_internal_value(self, data: Any) -> float:
        if isinstance(data, (str, bool)):
            raise serializers.ValidationError("A number is expected.")
        return super().to_internal_value(data)


class RuleSerializer(Strict):
    """The examples: by `filter`, `share` or both; or by hand, with `keys` or `positions` of the newest version."""

    filter = Filter(required=False, help_text="Metadata columns with values, as in `metadata[column]=value`.")
    share = Share(
        required=False,
        help_text="A random share, above 0 and at most 1. In a group, shares with one seed do not overlap.",
    )
    seed = Number(
        min_value=0, max_value=splits.LARGEST_SEED, help_text="The same seed draws the same examples."
    )
    keys = serializers.ListField(child=Text(), required=False)
    positions = serializers.ListField(child=Number(), required=False)


RULE = ("filter", "share", "seed", "keys", "positions")


def rule_of(body: dict[str, Any]) -> Rule | None:
    """The rule in the body; None if it has none."""
    parts = {name: body[name] for name in RULE if name in body}
    return Rule(**parts) if parts else None


class NewSplitSerializer(RuleSerializer):
    name = Name()
    group = Text(
        required=False,
        default="",
        max_length=longest(Split, "group"),
        help_text="An example belongs to one split of a group.",
    )


class SplitChangeSerializer(RuleSerializer):
    """Omitted fields stay unchanged, but any part of a rule replaces the whole rule. Runs keep their examples."""

    name = Name(required=False)
    group = Text(required=False, max_length=longest(Split, "group"))


class OverlapSerializer(serializers.Serializer[Any]):
    split = serializers.IntegerField(source="other.pk")
    name = serializers.CharField(source="other.name")
    examples = serializers.IntegerField()


class SplitSerializer(serializers.ModelSerializer[Split]):
    """A named set of examples of a dataset, with its size in a version."""

    dataset = Id(source="dataset_id")
    kind = serializers.CharField(help_text="`filter`, `share` or `hand`.")
    filter = Filter()
    version = serializers.SerializerMethodField(
        help_text="The version of the dataset in which examples are counted."
    )
    examples = serializers.SerializerMethodField()
    overlaps = serializers.SerializerMethodField(
        help_text="Examples that are also in another split of the group; a split with such examples cannot be run."
    )

    class Meta:
        model = Split
        fields = (
            "id",
            "dataset",
            "name",
            "kind",
            "filter",
            "share",
            "seed",
            "group",
            "version",
            "examples",
            "overlaps",
            "created_at",
        )
        read_only_fields = fields

    def get_version(self, split: Split) -> int:
        return self.context.get("version") or split.dataset.version

    def get_examples(self, split: Split) -> int:
        return len(splits.positions(split, self.get_version(split)))

    @extend_schema_field(OverlapSerializer(many=True))
    def get_overlaps(self, split: Split) -> Any:
        return OverlapSerializer(splits.overlaps(split, self.get_version(split)), many=True).data


class VersionQuery(NoQuery):
    version = IntegerText(required=False, min_value=1, max_value=LARGEST_POSITION)


class SplitsQuery(PageQuery, VersionQuery):
    pass
