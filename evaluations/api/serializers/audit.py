"""Entries of the audit log as JSON, and their filters."""

from typing import Any

from rest_framework import serializers

from evaluations.access.audit_words import words
from evaluations.models import AuditEntry

from ..fields import Object, Text
from .page import NoQuery, PageQuery


class AuditEntrySerializer(serializers.Serializer[Any]):
    """One entry. Names are stored as they were, because people, keys and objects can be deleted later."""

    id = serializers.IntegerField(source="pk")
    at = serializers.DateTimeField()
    who = serializers.CharField(source="actor_name")
    key = serializers.CharField(source="api_key.prefix", default=None, allow_null=True)
    action = serializers.CharField()
    text = serializers.SerializerMethodField(help_text="The action in words.")
    type = serializers.CharField(source="object_type")
    object = serializers.IntegerField(source="object_id", allow_null=True)
    name = serializers.CharField(source="object_name")
    request_id = serializers.CharField()
    details = Object()

    def get_text(self, entry: AuditEntry) -> str:
        return words(entry.action, entry.details)


class AuditFilters(NoQuery):
    who = Text(required=False, help_text="A user's name.")
    action = Text(required=False, help_text="Such as `dataset-delete`.")
    since = serializers.DateField(required=False, help_text="A day in UTC.")
    until = serializers.DateField(required=False, help_text="The last day, in UTC.")


class AuditQuery(AuditFilters, PageQuery):
    pass
