"""Edits of many examples: selection, operation and result."""

from typing import Any

from rest_framework import serializers

from evaluations.datasets.edits import DELETE, REPLACE, SET, Edit
from evaluations.datasets.selections import Selection
from evaluations.ingest import Limits
from evaluations.models import Dataset, DatasetImport, Split
from evaluations.values import LONGEST_NAME, LONGEST_SEARCH, PARTS

from ..fields import AnyJSON, Flag, Number, Strict, Text
from .dataset_import import FirstSerializer
from .split import Filter, SplitName

MOST_NAMED = 10_000  # keys or positions
LONGEST_TEXT = 100_000  # characters of `find` and `with`
SPLIT = "split"
NEEDS: dict[str, set[str]] = {  # the fields of each `do`, beside select, version and dry_run
    SET: {"column", "value"},
    REPLACE: {"part", "column", "find", "with"},
    DELETE: set(),
    SPLIT: {"split", "action"},
}
NEEDED = {name for names in NEEDS.values() for name in names}


class SelectSerializer(Strict):
    """Selects examples of the newest version that meet all conditions. `keys` and `positions` are one condition: an
    example meets it if either names it.
    """

    search = Text(
        required=False,
        max_length=LONGEST_SEARCH,
        help_text="A text to find in keys, inputs, reference or metadata.",
    )
    filter = Filter(required=False, help_text="Metadata columns with values, as in a split.")
    split = SplitName(
        required=False, max_length=LONGEST_NAME, help_text="Only the examples of this split, by name or id."
    )
    keys = serializers.ListField(child=Text(), required=False, max_length=MOST_NAMED)
    positions = serializers.ListField(child=Number(), required=False, max_length=MOST_NAMED)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        everything = Flag(
            default=False, help_text="true: all examples. Cannot be combined with other fields."
        )
        return super().get_fields() | {"all": everything}


class BulkSerializer(Strict):
    """The operation on the selected examples. `set` takes `column` and `value`; `replace` takes `part`, `column`,
    `find` and `with`; `delete` takes nothing; `split` takes `split` and `action`.
    """

    select = SelectSerializer()
    do = serializers.ChoiceField([SET, REPLACE, DELETE, SPLIT])
    column = Text(
        required=False, max_length=Limits.column_name_characters, help_text="The metadata column to set."
    )
    value = AnyJSON(required=False, allow_null=True, help_text="null removes the column from the examples.")
    part = serializers.ChoiceField(PARTS, required=False)
    find = Text(
        required=False, max_length=LONGEST_TEXT, help_text="A plain text, not a pattern; case-sensitive."
    )
    split = SplitName(
        required=False, max_length=LONGEST_NAME, help_text="A split chosen by hand, by name or id."
    )
    action = serializers.ChoiceField(["add", "remove"], required=False)
    version = Number(help_text="The version that you read; 409 if there is a newer one.")
    dry_run = Flag(default=False, help_text="Count what would change, but change nothing.")

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return super().get_fields() | {"with": Text(required=False, max_length=LONGEST_TEXT)}

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse missing fields, and fields of another operation, which would be ignored."""
        needed, sent_fields = NEEDS[attrs["do"]], attrs.keys() & NEEDED
        problems = {name: _missing(attrs["do"]) for name in sorted(needed - sent_fields)}
        problems |= {name: _needless(attrs["do"]) for name in sorted(sent_fields - needed)}
        if problems:
            raise serializers.ValidationError(problems)
        return attrs


def _missing(do: str) -> serializers.ErrorDetail:
    return serializers.ErrorDetail(f"“{do}” needs this field.", "required")


def _needless(do: str) -> serializers.ErrorDetail:
    return serializers.ErrorDetail(f"“{do}” does not take this field.", "unknown_field")


def selection_of(dataset: Dataset, body: dict[str, Any], split: Split | None) -> Selection:
    select = body["select"]
    conditions = {name: select[name] for name in ("search", "filter", "keys", "positions") if name in select}
    version = body.get("version", dataset.version)
    return Selection(dataset, version, split=split, everything=select["all"], **conditions)


def edit_of(body: dict[str, Any]) -> Edit:
    if body["do"] == SET:
        return Edit(SET, "metadata", body["column"], body["value"])
    if body["do"] == DELETE:
        return Edit(DELETE)
    return Edit(REPLACE, body["part"], body["column"], find=body["find"], replacement=body["with"])


class BulkAnswerSerializer(serializers.Serializer[Any]):
    """The result of the edit, or of its dry run. With status `importing` a worker does the work: poll
    `imports/{import}/` for the counts, which are 0 until it has ended.
    """

    do = serializers.ChoiceField([SET, REPLACE, DELETE, SPLIT])
    dry_run = serializers.BooleanField()
    status = serializers.ChoiceField(DatasetImport.Status.choices)
    version = serializers.IntegerField(help_text="The version of the dataset after the edit.")
    selected = serializers.IntegerField()
    changed = serializers.IntegerField(help_text="Examples that a split gained or lost.")
    removed = serializers.IntegerField()
    same = serializers.IntegerField(help_text="Examples for which nothing changes.")
    first = serializers.DictField(
        child=FirstSerializer(many=True), help_text="Up to five examples that are changed or removed."
    )

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        number = serializers.IntegerField(allow_null=True, help_text="Its id; null for a split.")
        return {"import": number} | super().get_fields()
