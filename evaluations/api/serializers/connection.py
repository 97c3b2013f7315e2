from rest_framework import serializers

from evaluations.models import Connection

from ..fields import Name, Strict, Text


class ConnectionSerializer(serializers.ModelSerializer):
    """A connection; of its key only the last four characters and when it was set."""

    price_per_million = serializers.FloatField(allow_null=True)
    is_default = serializers.SerializerMethodField()

    class Meta:
        model = Connection
        fields = (
            "id",
            "name",
            "base_url",
            "key_ending",
            "key_set_at",
            "price_per_million",
            "is_default",
            "created_at",
        )
        read_only_fields = fields

    def get_is_default(self, connection: Connection) -> bool:
        return connection.project.default_connection_id == connection.pk


class Price(serializers.DecimalField):
    def __init__(self, **options):
        super().__init__(max_digits=10, decimal_places=4, min_value=0, coerce_to_string=False, **options)


class NewConnectionSerializer(Strict):
    name = Name()
    base_url = Text(max_length=500)
    api_key = Text(required=False, default="")
    price_per_million = Price(required=False, allow_null=True, default=None)


class ConnectionChangeSerializer(Strict):
    name = Name(required=False)
    base_url = Text(required=False, max_length=500)
    api_key = Text(required=False, help_text="Needed again when `base_url` changes.")
    price_per_million = Price(required=False)
    is_default = serializers.BooleanField(required=False)
