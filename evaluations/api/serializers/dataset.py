"""Datasets and their examples as JSON, and uploads of files."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evaluations.models import Dataset, DatasetImport, DatasetVersion
from evaluations.scoring import counted
from evaluations.values import PARTS

from ..answers import integers, strings
from ..fields import AnyJSON, Key, Name, Number, Object, ObjectText, Rows, Strict
from .mapping import MappingText
from .reading import ReadingSerializer

EXAMPLE = {"key": (str, int), "inputs": (), "reference": (), "metadata": (dict,)}


class ProblemSerializer(serializers.Serializer[Any]):
    """An error or warning about a file."""

    code = serializers.CharField()
    message = serializers.CharField()
    hint = serializers.CharField(required=False)
    where = Object(required=False)
    count = serializers.IntegerField(required=False)
    first_lines = integers(required=False)
    left_out = strings(required=False, help_text="What the warning says is not imported.")


class ColumnsSerializer(serializers.Serializer[Any]):
    """Names of columns by part, in the order of the file."""

    inputs = strings()
    reference = strings()
    metadata = strings()


@extend_schema_field(ColumnsSerializer)
class Columns(Object):
    def to_representation(self, value: Any) -> Any:
        return {part: value.get(part, []) for part in PARTS}


@extend_schema_field(ProblemSerializer(many=True))
class Problems(AnyJSON):
    pass


class DatasetSerializer(serializers.ModelSerializer[Dataset]):
    status = serializers.ChoiceField(Dataset.Status.choices, read_only=True)
    columns = Columns(read_only=True)
    errors = Problems(read_only=True)  # type: ignore[assignment] # a field of this name, not the property
    warnings = Problems(read_only=True)
    error_counts = serializers.DictField(
        child=serializers.IntegerField(),
        read_only=True,
        help_text="How many rows were refused, by code; `errors` has the first of them.",
    )
    experiment = serializers.IntegerField(
        source="first_experiment",
        allow_null=True,
        read_only=True,
        help_text="The experiment created by the upload, else the first one on this dataset.",
    )
    left_out = serializers.SerializerMethodField(
        help_text="Columns, fields inside columns and other parts of the last file that were not imported."
    )

    class Meta:
        model = Dataset
        fields = (
            "id",
            "name",
            "status",
            "version",
            "example_count",
            "columns",
            "errors",
            "error_count",
            "error_counts",
            "warnings",
            "left_out",
            "experiment",
            "most_comparisons",
            "created_at",
        )
        read_only_fields = fields

    def get_left_out(self, dataset: Dataset) -> list[str]:
        return [*dict.fromkeys(name for warning in dataset.warnings for name in warning.get("left_out", ()))]


class DatasetVersionSerializer(serializers.ModelSerializer[DatasetVersion]):
    class Meta:
        model = DatasetVersion
        fields = ("number", "example_count", "note", "tag", "comment", "created_at")
        read_only_fields = fields


class NewExampleSerializer(Strict):
    """One example. Its parts are objects by column; `inputs` and `reference` may be plain text instead."""

    key = Key(required=False, allow_null=True, help_text="Your own id of the example, unique in the dataset.")
    inputs = AnyJSON(required=False, allow_null=True)
    reference = AnyJSON(required=False, allow_null=True)
    metadata = Object(required=False, allow_null=True)


class ExampleChangeSerializer(Strict):
    """The parts to replace; omitted parts stay unchanged."""

    inputs = AnyJSON(required=False)
    reference = AnyJSON(required=False, allow_null=True)
    metadata = Object(required=False)


@extend_schema_field(NewExampleSerializer(many=True))
class Examples(Rows):
    def __init__(self, **options: Any) -> None:
        super().__init__(kinds=EXAMPLE, **options)


class Repeated(serializers.ChoiceField):
    def __init__(self, **options: Any) -> None:
        help_text = (
            "What to do with rows that have the same contents as an earlier row; with `keep` a warning "
            "counts them."
        )
        choices = DatasetImport.Duplicates
        super().__init__(choices.values, default=choices.KEEP, help_text=help_text, **options)


class NewDatasetSerializer(Strict):
    name = Name()
    examples = Examples()
    schema = Object(required=False, help_text="Allowed values of columns; the examples must fit.")
    duplicates = Repeated()


class DatasetUploadSerializer(ReadingSerializer):
    """A CSV, TSV, JSON Lines, JSON array or Parquet file, gzipped or not, or a workbook (xlsx, xls, ods); without a
    mapping also an export of another tool.
    """

    file = serializers.FileField(allow_empty_file=True)
    name = Name()
    mapping = MappingText(
        required=False,
        help_text="JSON: inputs, reference, metadata (columns), key (column), outputs (by variant);"
        " or variant and output (columns), where each row is the output of one variant."
        " Or the name or id of a saved mapping.",
    )
    schema = ObjectText(
        required=False,
        help_text="Allowed values of columns: JSON Schema by part and column. The rows must fit. The file is read as"
        " a table.",
    )
    on_error = serializers.ChoiceField(["reject", "skip"], default="reject")
    duplicates = Repeated()


class AppendUploadSerializer(ReadingSerializer):
    file = serializers.FileField(allow_empty_file=True)
    mapping = MappingText(required=False)
    on_error = serializers.ChoiceField(["reject", "skip"], default="reject")


class RetrySerializer(Strict):
    on_error = serializers.ChoiceField(["reject", "skip"], default="skip")


class DatasetChangeSerializer(Strict):
    name = Name(required=False)
    most_comparisons = Number(
        max_value=counted.MOST,
        allow_null=True,
        help_text="How many comparisons are made on it at most, declared before the first; null takes it back.",
    )


class AppendSerializer(Strict):
    examples = Examples()


class ExampleSerializer(serializers.Serializer[Any]):
    position = serializers.IntegerField()
    key = serializers.CharField(allow_null=True)
    inputs = AnyJSON()
    reference = AnyJSON()
    metadata = AnyJSON()
