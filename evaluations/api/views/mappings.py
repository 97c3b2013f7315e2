"""Saved mappings: list, change, delete, restore; and the mapping that an upload sends or names."""

from functools import partial
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.imports.columns import saved_mappings
from evaluations.models import Project, SavedMapping

from .. import json_body
from ..idempotency import once
from ..routes import route
from ..schema import IDEMPOTENCY_KEY
from ..serializers.mapping import MappingChangeSerializer, MappingSerializer, NewMappingSerializer
from .base import Item, NamedCollection, Restore, View, deletes, restores, visible


def mapping_of(project: Project, body: dict[str, Any]) -> dict[str, Any] | None:
    """The mapping in a form: a JSON object, or the name or id of a saved one; None if it is missing."""
    text = body.get("mapping")
    if text is None:
        return None
    is_json = text.lstrip()[:1] in ("", "{", "[", '"')
    mapping = json_body.parse(text.encode()) if is_json else text.strip()
    if isinstance(mapping, str):
        saved: dict[str, Any] = saved_mappings.use(project, mapping).mapping
        return saved
    return json_body.as_object(mapping, "mapping")


class MappingView(View):
    serializer_class = MappingSerializer

    def get_queryset(self) -> QuerySet[SavedMapping]:
        return visible(SavedMapping, self.key).exclude(name_key="")


@route("mappings/", "mapping-list")
class MappingList(NamedCollection, MappingView):
    """Saved mappings of the project."""

    @extend_schema(
        request=NewMappingSerializer, responses={201: MappingSerializer}, parameters=[IDEMPOTENCY_KEY]
    )
    def post(self, request: Request) -> Response:
        """Save a mapping under a name, for later uploads."""
        return once(request, request.data, partial(self._create, self.checked(NewMappingSerializer)))

    def _create(self, body: dict[str, Any]) -> Response:
        saved = saved_mappings.create(self.project, self.person, body["name"], body["mapping"])
        return Response(self.get_serializer(saved).data, 201)


@route("mappings/<id:pk>/", "mapping-detail")
class MappingDetail(Item, MappingView):
    """A saved mapping with its columns."""

    @extend_schema(request=MappingChangeSerializer)
    def patch(self, request: Request, pk: int) -> Response:
        """Rename the mapping, or replace its columns. Imported files do not change."""
        saved, body = self.get_object(), self.checked(MappingChangeSerializer)
        return self.shown(saved_mappings.change(saved, **body))

    delete = deletes(saved_mappings.delete)


@route("mappings/<id:pk>/restore/", "mapping-restore")
@restores(MappingSerializer)
class MappingRestore(Restore, MappingView):
    def restorable(self) -> QuerySet[Any]:
        return super().restorable().exclude(name_key="")
