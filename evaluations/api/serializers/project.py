from rest_framework import serializers

from evaluations.models import Scope


class UsedKeySerializer(serializers.Serializer):
    """The key that was used; its text is shown only when it is made."""

    name = serializers.CharField()
    prefix = serializers.CharField()
    scope = serializers.ChoiceField(Scope.choices)
    expires_at = serializers.DateTimeField(allow_null=True)


class ProjectSerializer(serializers.Serializer):
    id = serializers.IntegerField(source="project.pk")
    name = serializers.CharField(source="project.name")
    slug = serializers.CharField(source="project.slug")
    default_connection = serializers.IntegerField(source="project.default_connection_id", allow_null=True)
    created_at = serializers.DateTimeField(source="project.created_at")
    key = UsedKeySerializer(source="*")
