"""The schema of a dataset, and how its examples fit it, as JSON."""

from typing import Any

from rest_framework import serializers

from ..fields import FlagText, Object, Strict
from .page import NoQuery


class SchemaQuery(NoQuery):
    suggested = FlagText(
        required=False, default=False, help_text="`true`: suggest one from the types of the first examples."
    )


class SchemaChangeSerializer(Strict):
    """JSON Schema (Draft 2020-12) by part and column; an empty object removes the schema."""

    schema = Object(help_text='{"reference": {"answer": {"type": "string", "minLength": 1}}}')


class DatasetSchemaSerializer(serializers.Serializer[Any]):
    schema = Object()
    looked_at = serializers.IntegerField(
        help_text="The number of examples checked against the schema, from the first on."
    )
    misfits = serializers.IntegerField(help_text="How many of these examples do not fit.")
    first = serializers.CharField(help_text="Why the first of them does not fit, or why none was checked.")
