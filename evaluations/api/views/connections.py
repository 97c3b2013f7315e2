"""Connections to model servers: list, change, test, delete, restore."""

from functools import partial
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.access import permissions
from evaluations.evaluators import connections
from evaluations.models import Connection

from ..idempotency import once
from ..preconditions import etag, require_match
from ..routes import route
from ..schema import IDEMPOTENCY_KEY, IF_MATCH
from ..serializers.connection import (
    ConnectionChangeSerializer,
    ConnectionSerializer,
    ConnectionTestSerializer,
    NewConnectionSerializer,
    ProbeSerializer,
)
from .base import CONNECT, READ, Item, NamedCollection, Restore, Thing, View, deletes, find, restores, visible


class ConnectionView(View):
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


@route("connections/", "connection-list")
class ConnectionList(NamedCollection, ConnectionView):
    """Connections to OpenAI-compatible servers. Their API keys can be written, never read."""

    @extend_schema(
        request=NewConnectionSerializer, responses={201: ConnectionSerializer}, parameters=[IDEMPOTENCY_KEY]
    )
    def post(self, request: Request) -> Response:
        """The first connection of a project is its default."""
        body = self.checked(NewConnectionSerializer)
        check = partial(connections.check, body["base_url"], body["api_key"], body["extras"])
        return once(request, request.data, partial(self._create, body), check)

    def _create(self, body: dict[str, Any]) -> Response:
        return self.answer(connections.store(self.project, self.person, **body), 201)


@route("connections/<id:pk>/", "connection-detail")
class ConnectionDetail(Item, ConnectionView):
    """One connection."""

    @extend_schema(request=ConnectionChangeSerializer, parameters=[IF_MATCH])
    def patch(self, request: Request, pk: int) -> Response:
        """Change the given fields. If `base_url` changes, send the key and the headers again."""
        connection, body = self.get_object(), self.checked(ConnectionChangeSerializer)
        require_match(request, self.tag(connection))
        chosen = body.pop("is_default", False)
        connections.change(connection, **body)
        if chosen:
            connections.make_default(connection)
        return self.answer(connection)

    delete = deletes(connections.delete, creators_only=False)


@route("connections/<id:pk>/test/", "connection-test")
class ConnectionTest(ConnectionView):
    @extend_schema(request=ConnectionTestSerializer, responses=ProbeSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """List the models, and ask one of them for a short chat answer and an embedding; at most 10 times a minute."""
        body, connection = self.checked(ConnectionTestSerializer), find(self.get_queryset(), pk)
        return Response(ProbeSerializer(connections.probe(connection, body["model"], self.key)).data)


@route("connections/<id:pk>/restore/", "connection-restore")
@restores(ConnectionSerializer)
class ConnectionRestore(Restore, ConnectionView):
    def require_removal(self, target: Thing) -> Thing:
        """Whoever may change it may restore it."""
        return target
