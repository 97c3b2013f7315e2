"""Connections, and the result of their test, as JSON."""

from decimal import Decimal
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evaluations.evaluators.connections import Extras
from evaluations.models import Connection
from evaluations.models.fields import longest
from evaluations.values import LONGEST_NAME

from ..answers import strings
from ..fields import Flag, Name, Object, Strict, Text

EXTRAS = ("api_version", "headers", "query")
OF_ADMINISTRATORS = (
    "base_url",
    "key_ending",
    "key_set_at",
    "price_per_million",
    "api_version",
    "query",
    "headers",
)


class ConnectionSerializer(serializers.ModelSerializer[Connection]):
    """A connection. Only the last four characters and the date of its key are shown, and the names of its headers.

    Without the permission to write connections, address, key, price and what is added to requests are null.
    """

    base_url = serializers.CharField(allow_null=True)
    key_ending = serializers.CharField(allow_null=True)
    price_per_million = serializers.FloatField(allow_null=True)
    api_version = serializers.CharField(
        allow_null=True, help_text="Of Azure OpenAI; empty for all other servers."
    )
    query = Object(allow_null=True, help_text="Added to the address of each request.")
    headers = strings(
        source="header_names",
        allow_null=True,
        help_text="The names of the headers that are added to each request.",
    )
    is_default = serializers.SerializerMethodField()

    class Meta:
        model = Connection
        fields = (
            "id",
            "name",
            *OF_ADMINISTRATORS,
            "is_default",
            "created_at",
        )
        read_only_fields = fields

    def to_representation(self, connection: Connection) -> dict[str, Any]:
        shown = super().to_representation(connection)
        return shown if self.context["may_connect"] else shown | dict.fromkeys(OF_ADMINISTRATORS)

    def get_is_default(self, connection: Connection) -> bool:
        return connection.project.default_connection_id == connection.pk


@extend_schema_field({"type": "object", "additionalProperties": {"type": "string"}})
class Pairs(serializers.DictField):
    """Texts by name; `clients.extras` checks them."""

    child = Text()


@extend_schema_field({"type": "string", "pattern": "^[hH][tT][tT][pP][sS]?://", "maxLength": 500})
class BaseURL(Text):
    """The URL of a connection; `evaluators.connections` checks it."""

    def __init__(self, **options: Any):
        super().__init__(max_length=longest(Connection, "base_url"), **options)


class Price(serializers.DecimalField):
    def __init__(self, **options: Any) -> None:
        super().__init__(max_digits=10, decimal_places=4, min_value=0, coerce_to_string=False, **options)

    def to_internal_value(self, data: Any) -> Decimal:
        if isinstance(data, bool) or not isinstance(data, int | float):
            raise serializers.ValidationError("A number is expected.")
        return super().to_internal_value(data)


class ExtrasSerializer(Strict):
    """What a connection adds to its requests."""

    api_version = Text(
        required=False,
        max_length=longest(Connection, "api_version"),
        help_text="The API version of Azure OpenAI, such as 2024-10-21; the base URL is that of the resource, and"
        " models are deployments.",
    )
    headers = Pairs(
        required=False, help_text="Headers by name; written, never read. Required when `base_url` changes."
    )
    query = Pairs(required=False, help_text="Parameters that are added to the address of each request.")

    def validate(self, body: dict[str, Any]) -> dict[str, Any]:
        """The fields of `Extras` as one value."""
        return body | {"extras": Extras(**{name: body.pop(name, None) for name in EXTRAS})}


class NewConnectionSerializer(ExtrasSerializer):
    name = Name()
    base_url = BaseURL()
    api_key = Text(required=False, default="")
    price_per_million = Price(required=False, allow_null=True, default=None)


class ConnectionChangeSerializer(ExtrasSerializer):
    name = Name(required=False)
    base_url = BaseURL(required=False)
    api_key = Text(required=False, help_text="Required when `base_url` changes.")
    price_per_million = Price(
        required=False, allow_null=True, help_text="The price of a million tokens; null removes it."
    )
    is_default = Flag(required=False)


class ConnectionTestSerializer(Strict):
    model = Text(
        required=False,
        default="",
        max_length=LONGEST_NAME,
        help_text="Without one, the first that the server lists is asked.",
    )


class ProbeSerializer(serializers.Serializer[Any]):
    """The result of a connection test; `code` says why it is not `ok`."""

    ok = serializers.BooleanField()
    message = serializers.CharField()
    code = serializers.CharField(allow_null=True)
    milliseconds = serializers.FloatField(allow_null=True)
    dimension = serializers.IntegerField(allow_null=True)
    models = strings()
    chat = serializers.BooleanField(
        allow_null=True, help_text="Whether the model answers chat; null: not tested."
    )
    embeddings = serializers.BooleanField(allow_null=True)
