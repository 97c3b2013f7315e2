"""Imports of files into an existing dataset: upload, progress and result."""

from typing import Any

from rest_framework import serializers

from evaluations.models import DatasetImport

from ..fields import Object
from .dataset import Problems
from .mapping import MappingText
from .reading import ReadingSerializer

Mode = DatasetImport.Mode


class ChangeUploadSerializer(ReadingSerializer):
    """A CSV, TSV, JSON Lines, JSON array or Parquet file, gzipped or not, or a workbook.

    With `long`, equal rows of one `id` are one example, and columns that differ between them are left out.
    """

    file = serializers.FileField(allow_empty_file=True)
    mode = serializers.ChoiceField(
        [Mode.APPEND, Mode.MERGE, Mode.MIRROR],
        help_text="`append` adds new examples, `merge` also changes examples whose key exists, and `mirror` "
        "also removes examples that the file lacks.",
    )
    mapping = MappingText(
        required=False,
        help_text="JSON: inputs, reference, metadata (columns), key (column); or the name or id of a saved mapping;"
        " by default the columns of the dataset.",
    )
    dry_run = serializers.BooleanField(
        default=False, help_text="Count what would change, but change nothing."
    )
    on_error = serializers.ChoiceField(
        ["reject", "skip"],
        default="reject",
        help_text="What to do if a row cannot be imported; a mirror does not accept `skip`.",
    )
    duplicates = serializers.ChoiceField(
        DatasetImport.Duplicates.values,
        default=DatasetImport.Duplicates.KEEP,
        help_text="What to do with rows that have the same contents as another example.",
    )


class StartedSerializer(serializers.Serializer[Any]):
    """`import` is the id for `imports/{id}/`, which has progress and result."""

    def to_representation(self, change: DatasetImport) -> dict[str, int]:
        return {"import": change.pk}

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {"import": serializers.IntegerField()}


class FirstSerializer(serializers.Serializer[Any]):
    """An example before and after the change; an added one has no before, a removed one no after."""

    key = serializers.CharField(allow_null=True)
    key_before = serializers.CharField(required=False, help_text="The key before the change, if it changed.")
    before = Object(required=False)
    after = Object(required=False)


class DatasetImportSerializer(serializers.ModelSerializer[DatasetImport]):
    mode = serializers.ChoiceField(Mode.choices, read_only=True)
    status = serializers.ChoiceField(DatasetImport.Status.choices, read_only=True)
    dry_run = serializers.BooleanField(source="is_dry_run", read_only=True)
    version = serializers.IntegerField(
        allow_null=True,
        read_only=True,
        help_text="The newest version of the dataset when the import ended.",
    )
    first = serializers.DictField(
        child=FirstSerializer(many=True),
        read_only=True,
        help_text="Up to five examples of each kind: added, changed, removed, duplicates.",
    )
    errors = Problems(read_only=True)  # type: ignore[assignment] # a field of this name, not the property
    warnings = Problems(read_only=True)
    error_counts = serializers.DictField(child=serializers.IntegerField(), read_only=True)
    left_out = serializers.SerializerMethodField(
        help_text="Columns and other parts of the file that were not imported."
    )

    class Meta:
        model = DatasetImport
        fields = (
            "id",
            "status",
            "mode",
            "dry_run",
            "filename",
            "base",
            "version",
            "added",
            "changed",
            "removed",
            "same",
            "duplicates",
            "first",
            "errors",
            "error_count",
            "error_counts",
            "warnings",
            "left_out",
            "created_at",
            "finished_at",
        )
        read_only_fields = fields

    def get_left_out(self, change: DatasetImport) -> list[str]:
        return [*dict.fromkeys(name for warning in change.warnings for name in warning.get("left_out", ()))]
