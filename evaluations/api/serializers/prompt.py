"""Prompts, their versions, differences and rendered messages as JSON."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evaluations.models import Prompt, PromptLabel, PromptVersion
from evaluations.prompts.content import MOST_MESSAGES, ROLES, Content
from evaluations.prompts.rendering import MOST_POSITIONS
from evaluations.values import LARGEST_POSITION, LONGEST_NAME

from ..fields import Flag, Id, IntegerText, Name, Number, Object, Strict, Text
from .page import NoQuery

MESSAGE = {
    "type": "object",
    "properties": {"role": {"type": "string", "enum": list(ROLES)}, "content": {}},
    "required": ["role"],
    "additionalProperties": {},
}


@extend_schema_field({"type": "array", "items": MESSAGE, "minItems": 1, "maxItems": MOST_MESSAGES})
class Messages(serializers.ListField):
    """Messages in the format of the OpenAI API; checked by `prompts.content`."""

    def __init__(self, **options: Any):
        super().__init__(child=Object(), **options)


class ContentSerializer(serializers.Serializer[Any]):
    messages = Messages()
    model = serializers.CharField()
    parameters = Object()
    schema = Object(allow_null=True)
    tools = serializers.ListField(child=Object())
    connection = serializers.IntegerField(source="connection_id", allow_null=True)
    split_reasoning = serializers.BooleanField()
    note = serializers.CharField()
    variables = serializers.SerializerMethodField(help_text="The names between {{ and }} in the messages.")

    def get_variables(self, version: PromptVersion) -> list[str]:
        return Content.from_version(version).variables


class PromptVersionSerializer(ContentSerializer):
    version = serializers.IntegerField(source="number")
    created_at = serializers.DateTimeField()


class PromptSerializer(ContentSerializer):
    """A prompt; messages and settings are those of its newest version."""

    id = serializers.IntegerField(source="prompt.pk")
    name = serializers.CharField(source="prompt.name")
    version = serializers.IntegerField(source="number")
    created_at = serializers.DateTimeField(source="prompt.created_at")
    used_by = serializers.IntegerField(
        source="prompt.used_by", help_text="The number of runs with one of its versions."
    )

    labels = serializers.SerializerMethodField(help_text="The number of the labelled version, by label.")

    def get_labels(self, version: PromptVersion) -> dict[str, int]:
        in_force: list[PromptLabel] = version.prompt.labels_now  # type: ignore[attr-defined]
        return {label.name: label.version.number for label in in_force}

    def to_representation(self, prompt: Prompt) -> dict[str, Any]:
        """The prompt as JSON, with its prefetched newest version."""
        return super().to_representation(prompt.newest_versions[0])  # type: ignore[attr-defined]


class PartsSerializer(Strict):
    model = Text(required=False, max_length=LONGEST_NAME)
    parameters = Object(
        required=False,
        help_text="Parameters as the model's API takes them: temperature, max_completion_tokens, …",
    )
    schema = Object(required=False, allow_null=True, help_text="JSON Schema of the answer.")
    tools = serializers.ListField(child=Object(), required=False)
    connection = Id(required=False, allow_null=True)
    split_reasoning = Flag(
        required=False,
        help_text="Whether a block of reasoning at the beginning of an answer, such as `<think>…</think>`, is "
        "kept apart from the output. Default: true.",
    )
    note = Text(
        required=False, max_length=LONGEST_NAME, default="", help_text="What changed in this version."
    )


class NewPromptSerializer(PartsSerializer):
    name = Name()
    messages = Messages()


class NewVersionSerializer(PartsSerializer):
    """The next version of a prompt. Omitted fields are copied from the newest version."""

    messages = Messages(required=False)


class PromptChangeSerializer(Strict):
    name = Name()


class DuplicateSerializer(Strict):
    name = Name(required=False, help_text="The name of the copy. Default: the old name and “(copy)”.")
    version = Number()


class RenderSerializer(Strict):
    dataset = Id()
    positions = serializers.ListField(child=Number(required=True), min_length=1, max_length=MOST_POSITIONS)
    version = Number()


class RenderedExampleSerializer(serializers.Serializer[Any]):
    position = serializers.IntegerField()
    messages = Messages()


class RenderedSerializer(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    results = RenderedExampleSerializer(many=True)


class DiffQuery(NoQuery):
    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {name: IntegerText(min_value=1, max_value=LARGEST_POSITION) for name in ("from", "to")}


class ChangedSettingSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    old = serializers.CharField(help_text="Empty if the version lacks the setting.")
    new = serializers.CharField()


class MessageChangeSerializer(serializers.Serializer[Any]):
    """A message that differs; its role is null in a version that lacks the message."""

    number = serializers.IntegerField(help_text="1 for the first message.")
    old_role = serializers.CharField(allow_null=True)
    new_role = serializers.CharField(allow_null=True)
    old = serializers.CharField(source="old_text")
    new = serializers.CharField(source="new_text")


class PromptDifferencesSerializer(serializers.Serializer[Any]):
    """The messages and settings that differ."""

    messages = MessageChangeSerializer(many=True)
    settings = ChangedSettingSerializer(many=True)
