"""Webhooks and their deliveries as JSON."""

from rest_framework import serializers

from evaluations.models import Delivery, Webhook
from evaluations.models.fields import longest
from evaluations.webhooks import kinds, webhooks

from ..fields import Strict, Text


class WebhookSerializer(serializers.ModelSerializer[Webhook]):
    """A webhook, without its secret."""

    events = serializers.ListField(child=serializers.ChoiceField([*kinds.EVENTS]))
    created_by = serializers.CharField(source="created_by.username", default=None, allow_null=True)

    class Meta:
        model = Webhook
        fields: tuple[str, ...] = ("id", "url", "events", "created_by", "created_at")
        read_only_fields: tuple[str, ...] = fields


class CreatedWebhookSerializer(WebhookSerializer):
    secret = serializers.CharField(
        allow_null=True,
        help_text="The secret that signs requests; shown only once, and null in a repeated answer.",
    )

    class Meta(WebhookSerializer.Meta):
        fields = (*WebhookSerializer.Meta.fields, "secret")
        read_only_fields = fields


class NewWebhookSerializer(Strict):
    url = Text(max_length=longest(Webhook, "url"), allow_blank=False)
    events = serializers.ListField(
        child=serializers.ChoiceField([*kinds.EVENTS]), min_length=1, max_length=20
    )
    secret = Text(
        required=False,
        default="",
        allow_blank=False,
        min_length=webhooks.SHORTEST_SECRET,
        max_length=webhooks.LONGEST_SECRET,
        help_text="The secret that signs requests. Default: a random one.",
    )


class DeliverySerializer(serializers.ModelSerializer[Delivery]):
    """An event for a webhook; `cause` explains why the last attempt failed."""

    event = serializers.ChoiceField([*kinds.SENT])
    status = serializers.ChoiceField(("waiting", "delivered", "failed"))
    sentence = serializers.CharField(source="content.sentence")
    attempts = serializers.IntegerField(source="attempt")
    http_status = serializers.IntegerField(allow_null=True)
    next_at = serializers.DateTimeField(allow_null=True)

    class Meta:
        model = Delivery
        fields = (
            "id",
            "event",
            "sentence",
            "status",
            "attempts",
            "http_status",
            "cause",
            "created_at",
            "tried_at",
            "delivered_at",
            "next_at",
        )
        read_only_fields = fields
