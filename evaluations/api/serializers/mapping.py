"""Mappings of columns as JSON."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evaluations.imports.columns.mapping_shape import SHAPE
from evaluations.models import SavedMapping

from ..fields import Name, Object, Strict, Text


@extend_schema_field(SHAPE)
class Mapping(Object):
    """A mapping of columns; `imports.columns.mapping_shape` checks it."""


@extend_schema_field({"oneOf": [{"type": "object", "additionalProperties": {}}, {"type": "string"}]})
class MappingText(Text):
    """A mapping of columns in a form field: a JSON object, or the name or id of a saved mapping."""


class NewMappingSerializer(Strict):
    name = Name()
    mapping = Mapping(
        help_text=(
            "A mapping as uploads take it: inputs, reference, metadata (columns), key (column), outputs (by "
            "variant), …"
        )
    )


class MappingChangeSerializer(Strict):
    """Omitted fields stay unchanged."""

    name = Name(required=False)
    mapping = Mapping(required=False)


class MappingSerializer(serializers.ModelSerializer[SavedMapping]):
    """A saved mapping of columns."""

    mapping = Mapping(read_only=True)

    class Meta:
        model = SavedMapping
        fields = ("id", "name", "mapping", "used_at", "created_at")
        read_only_fields: Any = fields
