"""API keys of the project: list and revoke."""

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.access import api_keys

from ..serializers.project import KeySerializer
from .base import ADMIN, Collection, Item, View


class KeyView(View):
    serializer_class = KeySerializer
    needs = {"GET": ADMIN, "DELETE": ADMIN}

    def get_queryset(self) -> QuerySet:
        return api_keys.keys_in(self.project).select_related("owner", "project")


class KeyList(Collection, KeyView):
    """The project's keys. People create them on their account page; keys cannot create keys."""


class KeyDetail(Item, KeyView):
    """One key."""

    @extend_schema(responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        """Revoke the key permanently."""
        api_keys.revoke_key(self.get_object())
        return Response(status=204)
