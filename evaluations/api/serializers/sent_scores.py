"""Scores that are sent to a run, and what became of them."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evaluations.experiments.sent_scores import LONGEST, MOST
from evaluations.values import BETTER, LONGEST_NAME

from ..answers import Answer, strings
from ..fields import AnyJSON, Key, Name, ObjectText, Rows, Strict, Text
from .reading import FormatSerializer
from .run import Whole

SCORE = {
    "key": (str, int),
    "position": (int,),
    "value": (),
    "label": (str,),
    "error": (str,),
    "note": (str,),
    "by": (str,),
}


@extend_schema_field(
    {
        "oneOf": [
            {"type": "object", "additionalProperties": {"type": "number"}},
            {"type": "string"},
        ],
        "description": 'The number of each label: {"good": 1, "bad": 0}, or "good = 1, bad = 0".',
    }
)
class Labels(serializers.Field[Any, Any, Any, Any]):
    def to_internal_value(self, data: Any) -> str:
        if isinstance(data, str):
            return data
        if not isinstance(data, dict):
            raise serializers.ValidationError("Must be an object from labels to numbers.")
        for label, number in data.items():
            if type(number) not in (int, float) or "," in label or "=" in label:
                raise serializers.ValidationError(
                    "Give each label a number; labels contain no comma and no =."
                )
        return ", ".join(f"{label} = {number}" for label, number in data.items())

    def to_representation(self, value: Any) -> Any:
        return value


class CodeSerializer(Strict):
    sha256 = Text(help_text="The digest of the function that scored, 64 hexadecimal digits.")
    client = Text(required=False, max_length=LONGEST_NAME, help_text="The client and its version.")


class SentEvaluatorSerializer(Strict):
    """What scores. Fields that are left out are those of the newest version; other values make another version."""

    name = Name()
    direction = serializers.ChoiceField([*BETTER], required=False)
    minimum = serializers.FloatField(required=False, allow_null=True)
    maximum = serializers.FloatField(required=False, allow_null=True)
    labels = Labels(required=False, allow_null=True)
    threshold = serializers.FloatField(required=False, allow_null=True)
    code = CodeSerializer(required=False, allow_null=True)


class NewScoreSerializer(Strict):
    """One score. `key` or `position` identifies its example; without value, label and error it is only noted."""

    key = Key(required=False, allow_null=True)
    position = Whole(required=False, min_value=1)
    value = AnyJSON(required=False, allow_null=True, help_text="A number, or true or false.")
    label = Text(  # type: ignore[assignment] # a field of this name, not the property
        required=False, allow_null=True, max_length=LONGEST["label"]
    )
    error = Text(required=False, allow_null=True, help_text="Why there is no score.")
    note = Text(required=False, allow_null=True)
    by = Text(required=False, allow_null=True, help_text="Who judged.")


@extend_schema_field(NewScoreSerializer(many=True))
class ScoreRows(Rows):
    def __init__(self, **options: Any):
        super().__init__(kinds=SCORE, help_text=f"At most {MOST}.", **options)


class NewScoresSerializer(Strict):
    evaluator = SentEvaluatorSerializer()
    scores = ScoreRows()


class ScoresUploadSerializer(FormatSerializer):
    """A file with a row for each example; columns are recognised by the names of their parts, or named."""

    file = serializers.FileField(allow_empty_file=True)
    evaluator = ObjectText(help_text="As in a JSON body, as JSON.")
    columns = ObjectText(
        required=False,
        default="{}",
        help_text='The columns of the parts, as JSON: {"key": "id", "value": "rating", "note": "why"}.',
    )


class SentScoresSerializer(Answer):
    """The evaluator and its version, the examples that got a score, and how many of them had one before."""

    evaluator = serializers.IntegerField(source="version.evaluator_id")
    version = serializers.IntegerField(source="version.number")
    scored = serializers.IntegerField()
    replaced = serializers.IntegerField()
    left_out = strings(help_text="Of a file: columns that were not read.")
