"""Labels on prompt versions, and prompts fetched by name, as JSON."""

from typing import Any

from rest_framework import serializers

from evaluations.deployments import labels
from evaluations.models import PromptLabel
from evaluations.values import LARGEST_POSITION

from ..fields import IntegerText, Number, Strict, Text
from .page import NoQuery
from .prompt import ContentSerializer


class LabelSerializer(serializers.ModelSerializer[PromptLabel]):
    """A label on a version from `set_at` until `ended_at`, which is null while it is in force."""

    label = serializers.CharField(source="name")  # type: ignore[assignment] # the name of a property of fields
    version = serializers.IntegerField(source="version.number")
    set_by = serializers.CharField(source="set_by.username", default=None, allow_null=True)
    ended_by = serializers.CharField(source="ended_by.username", default=None, allow_null=True)

    class Meta:
        model = PromptLabel
        fields = ("label", "version", "set_by", "set_at", "ended_by", "ended_at")
        read_only_fields = fields


class LabelledSerializer(Strict):
    version = Number(required=True, help_text="The number of the version that gets the label.")


class ByNameQuery(NoQuery):
    label = Text(  # type: ignore[assignment] # the name of a property of fields
        required=False, help_text="The label of the version; `latest` is the newest. Default: production."
    )
    version = IntegerText(
        required=False, min_value=1, max_value=LARGEST_POSITION, help_text="A version instead of a label."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "label" in attrs and "version" in attrs:
            message = "Name a label or a version, not both."
            raise serializers.ValidationError({"version": [message]})
        return {"label": labels.PRODUCTION} | attrs


class VersionQuery(NoQuery):
    version = IntegerText(
        required=False, min_value=1, max_value=LARGEST_POSITION, help_text="Default: the newest."
    )


class PromptByNameSerializer(ContentSerializer):
    """A version of a prompt for a program that sends it; `label` is null if the version was named."""

    id = serializers.IntegerField(source="prompt_id")
    name = serializers.CharField(source="prompt.name")
    version = serializers.IntegerField(source="number")
    label = serializers.CharField(allow_null=True)  # type: ignore[assignment] # the name of a property of fields
    set_at = serializers.DateTimeField(allow_null=True, help_text="When the label was put on this version.")
    created_at = serializers.DateTimeField()

    def to_representation(self, found: labels.Found) -> dict[str, Any]:
        version = found.version
        version.label = found.label and found.label.name  # type: ignore[attr-defined]
        version.set_at = found.label and found.label.set_at  # type: ignore[attr-defined]
        return super().to_representation(version)


class PromptFileSerializer(Strict):
    file = serializers.FileField(
        allow_empty_file=True, help_text="One prompt, YAML or JSON, as `export/` writes it."
    )


class ImportedPromptSerializer(serializers.Serializer[Any]):
    prompt = serializers.IntegerField(source="prompt_id")
    name = serializers.CharField(source="prompt.name")
    version = serializers.IntegerField(source="number")
