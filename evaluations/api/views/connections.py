"""Connections to model servers: list, change, test, delete, restore."""

from functools import partial
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.access import permissions
from evaluations.evaluators import connections
from evaluations.models import Connection

from ..idempotency import once
from ..preconditions import etag, require_match
from ..routes import noun
from ..schema import IDEMPOTENCY_KEY, IF_MATCH
from ..serializers.connection import (
    ConnectionChangeSerializer,
    ConnectionSerializer,
    ConnectionTestSerializer,
    NewConnectionSerializer,
    ProbeSerializer,
)
from .base import CONNECT, READ, Noun, Restores, Thing, deletes, find, visible


@extend_schema_view(retrieve=extend_schema(description="One connection."))
@noun("connections", "connection")
class Connections(Restores, Noun):
    """Connections to OpenAI-compatible servers. Their API keys can be written, never read."""

    serializer_class = ConnectionSerializer
    needs = {"GET": READ, "POST": CONNECT, "PATCH": CONNECT, "DELETE": CONNECT}

    def get_queryset(self) -> QuerySet[Connection]:
        return visible(Connection, self.key).select_related("project")

    def get_serializer_context(self) -> dict[str, Any]:
        may = self.request and CONNECT in permissions.allowed(self.key, self.project)
        return {**super().get_serializer_context(), "may_connect": may}

    def tag(self, connection: Connection) -> str:
        is_default = connection.project.default_connection_id == connection.pk
        return etag(connection.pk, *connections.state(connection), is_default)

    @extend_schema(
        request=NewConnectionSerializer, responses={201: ConnectionSerializer}, parameters=[IDEMPOTENCY_KEY]
    )
    def create(self, request: Request) -> Response:
        """The first connection of a project is its default."""
        body = self.checked(NewConnectionSerializer)
        check = partial(connections.check, body["base_url"], body["api_key"], body["extras"])
        return once(request, request.data, partial(self._create, body), check)

    def _create(self, body: dict[str, Any]) -> Response:
        return self.answer(connections.store(self.project, self.person, **body), 201)

    @extend_schema(request=ConnectionChangeSerializer, parameters=[IF_MATCH])
    def partial_update(self, request: Request, pk: int) -> Response:
        """Change the given fields. If `base_url` changes, send the key and the headers again."""
        connection, body = self.get_object(), self.checked(ConnectionChangeSerializer)
        require_match(request, self.tag(connection))
        chosen = body.pop("is_default", False)
        connections.change(connection, **body)
        if chosen:
            connections.make_default(connection)
        return self.answer(connection)

    destroy = deletes(connections.delete, creators_only=False)

    def require_removal(self, target: Thing) -> Thing:
        """Whoever may change it may restore it."""
        return target

    @extend_schema(
        request=ConnectionTestSerializer,
        responses=ProbeSerializer,
        description="List the models, and ask one of them for a short chat answer and an embedding; "
        f"at most {connections.TESTS} times a minute.",
    )
    @action(methods=["post"], detail=True)
    def test(self, request: Request, pk: int) -> Response:
        body, connection = self.checked(ConnectionTestSerializer), find(self.get_queryset(), pk)
        return Response(ProbeSerializer(connections.probe(connection, body["model"], self.key)).data)
