"""Versions of a dataset, and their differences, as JSON."""

from typing import Any

from rest_framework import serializers

from evaluations.models import DatasetVersion
from evaluations.models.fields import longest
from evaluations.values import LARGEST_POSITION

from ..fields import IntegerText, Object, Strict, Text
from .page import PageQuery

KINDS = ("added", "changed", "removed")


class VersionChangeSerializer(Strict):
    """Tag and comment of a version; omitted ones stay unchanged."""

    tag = Text(required=False, max_length=longest(DatasetVersion, "tag"))
    comment = Text(required=False, max_length=longest(DatasetVersion, "comment"))


class DiffQuery(PageQuery):
    change = serializers.ChoiceField(KINDS, required=False)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        numbers = {
            name: IntegerText(required=False, min_value=1, max_value=LARGEST_POSITION)
            for name in ("from", "to")
        }
        return super().get_fields() | numbers


class ChangedExampleSerializer(serializers.Serializer[Any]):
    change = serializers.ChoiceField(KINDS)
    key = serializers.CharField(allow_null=True)
    key_before = serializers.CharField(
        allow_null=True,
        help_text=(
            "The key of the example in `from`; it differs if the example got a new key and was recognised "
            "by its contents."
        ),
    )
    before = Object(allow_null=True, help_text="The example as it was in `from`; null for an added example.")
    after = Object(allow_null=True)


class DiffSerializer(serializers.Serializer[Any]):
    added = serializers.IntegerField()
    changed = serializers.IntegerField()
    removed = serializers.IntegerField()
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    results = ChangedExampleSerializer(many=True)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {"from": serializers.IntegerField(), "to": serializers.IntegerField()} | super().get_fields()
