"""API keys of the project: list and revoke."""

from typing import Any

from django.db.models import QuerySet

from evaluations.access import api_keys

from ..routes import route
from ..serializers.project import KeySerializer
from .base import ADMIN, Collection, Item, View, deletes


class KeyView(View):
    serializer_class = KeySerializer
    needs = {"GET": ADMIN, "DELETE": ADMIN}

    def get_queryset(self) -> QuerySet[Any]:
        return api_keys.keys_in(self.project).select_related("owner", "project")


@route("keys/", "key-list")
class KeyList(Collection, KeyView):
    """The project's keys. People create them on their account page; keys cannot create keys."""


@route("keys/<id:pk>/", "key-detail")
class KeyDetail(Item, KeyView):
    """One key."""

    delete = deletes(api_keys.revoke_key, "Revoke the key permanently.", creators_only=False)
