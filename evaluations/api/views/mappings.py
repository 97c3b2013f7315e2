"""Saved mappings: list, change, delete, restore; and the mapping that an upload sends or names."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.imports.columns import saved_mappings
from evaluations.models import Project, SavedMapping

from .. import json_body
from ..routes import noun
from ..serializers.mapping import MappingChangeSerializer, MappingSerializer, NewMappingSerializer
from .base import Noun, Restores, deletes, takes, visible


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


@extend_schema_view(retrieve=extend_schema(description="A saved mapping with its columns."))
@noun("mappings", "mapping")
class Mappings(Restores, Noun):
    """Saved mappings of the project."""

    serializer_class = MappingSerializer

    def get_queryset(self) -> QuerySet[SavedMapping]:
        return visible(SavedMapping, self.key).exclude(name_key="")

    @takes(NewMappingSerializer, {201: MappingSerializer})
    def create(self, body: dict[str, Any]) -> Response:
        """Save a mapping under a name, for later uploads."""
        saved = saved_mappings.create(self.project, self.person, body["name"], body["mapping"])
        return Response(self.get_serializer(saved).data, 201)

    @extend_schema(request=MappingChangeSerializer)
    def partial_update(self, request: Request, pk: int) -> Response:
        """Rename the mapping, or replace its columns. Imported files do not change."""
        saved, body = self.get_object(), self.checked(MappingChangeSerializer)
        return self.item(saved_mappings.change(saved, **body))

    destroy = deletes(saved_mappings.delete)

    def restorable(self) -> QuerySet[Any]:
        return super().restorable().exclude(name_key="")
