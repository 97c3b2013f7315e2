"""The contents of a file before it is imported, and what the import would create."""

from typing import Any

from rest_framework import serializers

from evaluations.imports.file_previews import OutputsPreview, TablePreview
from evaluations.imports.problem_groups import grouped
from evaluations.ingest import Preview
from evaluations.models import Upload
from evaluations.other_tools import Evaluation, Variant

from ..answers import integers, strings
from ..fields import AnyJSON, IntegerText, Object, ObjectText
from .dataset import ProblemSerializer
from .mapping import Mapping, MappingText
from .reading import ReadingSerializer


class PreviewedFileSerializer(ReadingSerializer):
    """A file as `POST datasets/` takes it. With a mapping, an export of another tool is read as a table."""

    file = serializers.FileField(allow_empty_file=True)
    mapping = MappingText(
        required=False, help_text="The mapping as `POST datasets/` takes it. Default: the suggested one."
    )


class PreviewedOutputsSerializer(ReadingSerializer):
    """A file as `POST runs/` takes it."""

    file = serializers.FileField(allow_empty_file=True)
    experiment = IntegerText()
    mapping = ObjectText(
        required=False, help_text="The mapping as `POST runs/` takes it. Default: the suggested one."
    )


class PreviewRowSerializer(serializers.Serializer[Any]):
    line = serializers.IntegerField()
    values = Object(help_text="The values by column.")


class ProblemGroupSerializer(serializers.Serializer[Any]):
    """Rows that cannot be read for the same reason: their number, and where the first ones are."""

    code = serializers.CharField()
    message = serializers.CharField()
    hint = serializers.CharField()
    count = serializers.IntegerField()
    locations = serializers.ListField(child=Object())


class FirstRowsSerializer(serializers.Serializer[Any]):
    """How a table is read, its first 20 rows, and the problems of the first 1 000 to 2 000."""

    format = Object(help_text="kind, encoding, delimiter, header, …, as recognised.")
    columns = strings()
    rows = PreviewRowSerializer(many=True)
    problems = ProblemGroupSerializer(many=True)
    warnings = ProblemSerializer(many=True)
    mapping = Mapping(help_text="The mapping that was sent, or else the suggested one.")


class LongSerializer(serializers.Serializer[Any]):
    """A file with one row for each variant and item; `varying` columns differ between the variants."""

    variant = serializers.CharField()
    variants = serializers.IntegerField()
    items = serializers.IntegerField()
    output = serializers.CharField()
    varying = strings()


class FittingSerializer(serializers.Serializer[Any]):
    """A saved mapping, with the columns that the file lacks."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    missing = strings()


class ForecastSerializer(serializers.Serializer[Any]):
    """The result of an import with this mapping, counted from all rows or, unless `whole`, from the first 50 000."""

    rows = serializers.IntegerField()
    examples = serializers.IntegerField()
    unreadable = serializers.IntegerField()
    keys_twice = serializers.IntegerField(
        source="twice", help_text="Rows that repeat the key of an earlier row."
    )
    first_lines = integers(source="first", help_text="The line numbers of those rows, at most ten.")
    variants = strings(help_text="The variants that the rows name, if a column names the variant.")
    whole = serializers.BooleanField()
    broken = Object(allow_null=True, help_text="The error at which reading stopped.")


class ChoiceSerializer(serializers.Serializer[Any]):
    """A question about a file: the field that answers it, and values to choose from. Without it the default applies."""

    field = serializers.CharField()
    question = serializers.CharField()
    values = serializers.ListField(child=AnyJSON())
    default = AnyJSON(allow_null=True)


class GuessSerializer(serializers.Serializer[Any]):
    """A role that the pages of an upload would begin with; an import without a mapping does not use it."""

    column = serializers.CharField()
    role = serializers.CharField(help_text="inputs, reference, metadata, key, output, score or low score.")
    reason = serializers.CharField()


class TablePreviewSerializer(FirstRowsSerializer):
    left_out = strings(
        help_text="Columns without a role, fields inside columns, and other parts of the file that are not read."
    )
    choices = ChoiceSerializer(many=True, help_text="What `ask` would ask; the defaults apply without it.")
    likely_outputs = strings(help_text="Columns whose contents look like outputs.")
    guesses = GuessSerializer(many=True, help_text="Roles that names alone do not settle, and why.")
    output_paths = strings(help_text="Paths into columns that might be outputs.")
    long = LongSerializer(allow_null=True)
    remembered = Mapping(allow_null=True, help_text="The mapping of the last file with these columns.")
    saved = FittingSerializer(many=True, help_text="Saved mappings; those that fit this file come first.")
    forecast = ForecastSerializer()


class ToolVariantSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    about = Object()
    repetitions = serializers.IntegerField()
    answers = serializers.IntegerField()


class ToolGraderSerializer(serializers.Serializer[Any]):
    """A grader. `kind` is that of the evaluator it becomes; if null, only its scores are imported, because of `why`."""

    name = serializers.CharField()
    type = serializers.CharField()
    kind = serializers.CharField(source="formula.kind", default=None, allow_null=True)
    why = serializers.CharField()
    failed = serializers.IntegerField()


class ToolFigureSerializer(serializers.Serializer[Any]):
    """A line of the tool's own summary; the variant "" stands for all variants."""

    variant = serializers.CharField()
    grader = serializers.CharField()
    n = serializers.IntegerField(allow_null=True)
    mean = serializers.FloatField(allow_null=True)
    pass_rate = serializers.FloatField(allow_null=True)


class ToolPreviewSerializer(serializers.Serializer[Any]):
    """The contents of an export of another tool. `table` says whether it could be imported as a table instead."""

    tool = serializers.CharField()
    version = serializers.CharField()
    name = serializers.CharField()
    examples = serializers.IntegerField()
    answers = serializers.IntegerField()
    repetitions = serializers.IntegerField()
    variants = ToolVariantSerializer(many=True)
    prompts = strings(help_text="The names of the prompts, if the file is a configuration.")
    graders = ToolGraderSerializer(many=True)
    figures = ToolFigureSerializer(many=True)
    notes = strings(help_text="What is not imported.")
    table = serializers.BooleanField()


class FilePreviewSerializer(serializers.Serializer[Any]):
    """Exactly one of `tool` and `table` is null."""

    filename = serializers.CharField()
    size = serializers.IntegerField(help_text="Bytes.")
    sha256 = serializers.CharField()
    same_content = serializers.IntegerField(
        allow_null=True,
        help_text="A dataset that was imported from the same bytes and has not changed since.",
    )
    tool = ToolPreviewSerializer(allow_null=True)
    table = TablePreviewSerializer(allow_null=True)


class MatchedRowSerializer(serializers.Serializer[Any]):
    """A row with the position of its example."""

    line = serializers.IntegerField()
    position = serializers.IntegerField()


class AnsweredSerializer(serializers.Serializer[Any]):
    """A variant, repetition or rater of a long table, and the number of examples that get an output of it."""

    name = serializers.CharField()
    matched = serializers.IntegerField()


class MatchSerializer(serializers.Serializer[Any]):
    """How rows match examples, counted from all rows, or from the first 50 000 if `whole` is false.

    `matched` examples get an output and `missing` ones none; `extra` rows match no example, `twice` are second outputs
    of an example by one variant, `empty` rows have no output, `unnamed` rows of a long table name no variant. With
    `startable` the file can be sent unchanged.
    """

    matched = serializers.IntegerField()
    missing = serializers.IntegerField()
    extra = serializers.IntegerField()
    twice = serializers.IntegerField()
    empty = serializers.IntegerField()
    unnamed = serializers.IntegerField()
    unreadable = serializers.IntegerField()
    whole = serializers.BooleanField()
    startable = serializers.BooleanField()
    first_extra = integers(help_text="The lines of the first such rows, at most ten.")
    first_missing = serializers.ListField(
        child=serializers.CharField(), help_text="The keys, or else positions, of the first such examples."
    )
    left_out = serializers.ListField(child=serializers.CharField(), help_text="Columns that are not read.")
    first_matched = MatchedRowSerializer(many=True)
    answered = AnsweredSerializer(many=True, help_text="With `long`, in the order of the file; else empty.")


class OutputsPreviewSerializer(FirstRowsSerializer):
    choices = ChoiceSerializer(many=True, help_text="What `ask` would ask; the defaults apply without it.")
    match = MatchSerializer()


def as_dict(
    upload: Upload, same: int | None, tool: dict[str, Any] | None, table: dict[str, Any] | None
) -> dict[str, Any]:
    """The preview of a file as JSON of the API."""
    facts = {name: getattr(upload, name) for name in ("filename", "size", "sha256")}
    return facts | {"same_content": same, "tool": tool, "table": table}


def first_rows(file: Preview, warnings: list[dict[str, Any]]) -> dict[str, Any]:
    how = {name: value for name, value in file.format.as_dict().items() if name != "warnings"}
    return {
        "format": how,
        "columns": file.columns,
        "rows": [{"line": n, "values": row} for n, row in zip(file.lines, file.rows, strict=True)],
        "problems": grouped([error.as_dict() for error in file.errors], file.error_counts),
        "warnings": warnings,
    }


def of_table(table: TablePreview) -> dict[str, Any]:
    forecast, file = table.forecast, table.file
    counted = {
        name: getattr(forecast, name)
        for name in ("rows", "examples", "unreadable", "twice", "whole", "first")
    }
    broken = forecast.broken.as_dict() if forecast.broken else None
    return first_rows(file, table.warnings) | {
        "mapping": table.mapping,
        "left_out": table.left_out,
        "choices": table.questions,
        "likely_outputs": file.likely_outputs,
        "guesses": [{"column": name, **guess._asdict()} for name, guess in file.guesses.items()],
        "output_paths": file.output_paths,
        "long": table.long,
        "remembered": table.remembered,
        "saved": [
            {"id": mapping.pk, "name": mapping.name, "missing": missing} for mapping, missing in table.saved
        ],
        "forecast": counted | {"variants": sorted(forecast.variants), "broken": broken},
    }


def of_outputs(preview: OutputsPreview) -> dict[str, Any]:
    match = preview.match
    rows = [{"line": line, "position": position} for line, position in match.first_matched.items()]
    answered = [{"name": name, "matched": count} for name, count in match.answered]
    counted = vars(match) | {"startable": match.startable, "first_matched": rows, "answered": answered}
    shown = {"mapping": preview.mapping, "choices": preview.questions, "match": counted}
    return first_rows(preview.file, preview.warnings) | shown


def of_tool(evaluation: Evaluation, *, may_be_table: bool) -> dict[str, Any]:
    return {
        "tool": evaluation.tool,
        "version": evaluation.version,
        "name": evaluation.name,
        "examples": len(evaluation.items),
        "answers": evaluation.answer_count,
        "repetitions": evaluation.repetition_count,
        "variants": [_variant(variant) for variant in evaluation.variants],
        "prompts": [prompt.name for prompt in evaluation.prompts],
        "graders": evaluation.graders,
        "figures": evaluation.figures,
        "notes": evaluation.notes,
        "table": may_be_table,
    }


def _variant(variant: Variant) -> dict[str, Any]:
    answers = sum(map(len, variant.repetitions))
    counted = {"repetitions": len(variant.repetitions), "answers": answers}
    return {"name": variant.name, "about": variant.about} | counted
