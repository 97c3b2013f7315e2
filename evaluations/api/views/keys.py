"""API keys of the project: list and revoke."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view

from evaluations.access import api_keys

from ..routes import noun
from ..serializers.page import PageQuery
from ..serializers.project import KeySerializer
from .base import ADMIN, Noun, deletes


@extend_schema_view(retrieve=extend_schema(description="One key."))
@noun("keys", "key")
class Keys(Noun):
    """The project's keys. People create them on their account page; keys cannot create keys."""

    serializer_class = KeySerializer
    list_query = PageQuery
    needs = {"GET": ADMIN, "DELETE": ADMIN}

    def get_queryset(self) -> QuerySet[Any]:
        return api_keys.keys_in(self.project).select_related("owner", "project")

    destroy = deletes(api_keys.revoke_key, "Revoke the key permanently.", creators_only=False)
