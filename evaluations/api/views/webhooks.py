"""Webhooks of the project: list, create, test, delete, deliveries."""

from functools import partial
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from evaluations.access.addresses import public_address
from evaluations.models import Webhook
from evaluations.webhooks import sending, webhooks

from ..idempotency import once_with_secret
from ..routes import noun
from ..schema import IDEMPOTENCY_KEY
from ..serializers.page import PageQuery
from ..serializers.webhook import (
    CreatedWebhookSerializer,
    DeliverySerializer,
    NewWebhookSerializer,
    WebhookSerializer,
)
from .base import ADMIN, Noun, deletes, find


@extend_schema_view(retrieve=extend_schema(description="One webhook."))
@noun("webhooks", "webhook")
class Webhooks(Noun):
    """Addresses that receive events of the project."""

    serializer_class: type[BaseSerializer[Any]] = WebhookSerializer
    list_query = PageQuery
    needs = {"GET": ADMIN, "POST": ADMIN, "DELETE": ADMIN}

    def get_queryset(self) -> QuerySet[Webhook]:
        return Webhook.objects.visible_to(self.key).select_related("created_by", "project")

    @extend_schema(
        request=NewWebhookSerializer, responses={201: CreatedWebhookSerializer}, parameters=[IDEMPOTENCY_KEY]
    )
    def create(self, request: Request) -> Response:
        """Create a webhook: an address that events are sent to. The secret is shown once."""
        body = self.checked(NewWebhookSerializer)
        check = partial(webhooks.check, body["url"])
        return once_with_secret(request, "secret", partial(self._create, body), check)

    def _create(self, body: dict[str, Any]) -> tuple[Response, str]:
        site = public_address(self.request, "/")
        webhook, secret = webhooks.store(self.project, self.person, **body, site=site)
        return Response(self.get_serializer(webhook).data, 201), secret

    destroy = deletes(
        webhooks.delete, "Delete the webhook permanently, with its deliveries.", creators_only=False
    )

    @extend_schema(
        request=None,
        responses=DeliverySerializer,
        description=f"Send a test now, at most {sending.TESTS} times a minute. The answer has its result.",
    )
    @action(methods=["post"], detail=True, serializer_class=DeliverySerializer)
    def test(self, request: Request, pk: int) -> Response:
        self.nothing_given()
        webhook = find(self.get_queryset(), pk)
        return Response(self.get_serializer(sending.send_test(webhook)).data)

    @action(detail=True, serializer_class=DeliverySerializer, query=PageQuery, has_pages=True)
    def deliveries(self, request: Request, pk: int) -> Response:
        """Sent and waiting deliveries of a webhook, newest first."""
        return self.page(find(self.get_queryset(), pk).deliveries.all())
