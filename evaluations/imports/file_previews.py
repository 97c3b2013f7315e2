"""Previews of imports for the API: everything that the pages of an upload show step by step."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from django.db.models import Case, F, When

from evaluations import ingest
from evaluations.ingest import LongFormat
from evaluations.models import Dataset, DatasetImport, DatasetVersion, Experiment, SavedMapping, Upload
from evaluations.values import PARTS

from . import choices, forecasts, matches, outputs, second_files
from .choices import DEFAULTS, How
from .columns import guessed_roles, measure_columns, saved_mappings
from .columns.columnmap import ColumnMap
from .columns.score_columns import by_name_and_variant, named_by
from .forecasts import Forecast
from .matches import Match
from .rows import large_changes
from .uploads import uploads

# the size of a file, and the newest versions of this size, that are looked through for the same rows
MOST_SAME_ROWS, VERSIONS_LOOKED_AT = 20_000, 5


@dataclass(frozen=True)
class TablePreview:
    """The first rows of a table, a mapping of its columns, and the result of importing with it.

    `remembered` is the mapping of the project's last file with these columns. `saved` are the project's mappings, each
    with the columns that this file lacks. `questions` are what the sender may decide.
    """

    file: ingest.Preview
    warnings: list[dict[str, Any]]
    mapping: dict[str, Any]
    left_out: list[str]
    questions: list[dict[str, Any]]
    long: LongFormat | None
    remembered: dict[str, Any] | None
    saved: list[tuple[SavedMapping, list[str]]]
    forecast: Forecast


def table(upload: Upload, mapping: dict[str, Any] | None, how: How = DEFAULTS) -> TablePreview:
    """Preview with this mapping, else the suggested one; raises `Invalid` if it does not fit the file."""
    read = choices.read(upload, mapping, how)
    file, columns, warnings = uploads.preview(upload), read.columns, [*read.warnings]
    warnings += guessed_roles.as_repetitions(columns) + guessed_roles.as_labels(columns)
    warnings += guessed_roles.columns_not_recognised(columns)
    columns = columns.with_remaining(file.columns)
    if columns.takes_remaining and forecasts.forecast(upload, columns).twice:
        warnings.append(guessed_roles.key_not_unique(columns.key))
        columns = replace(columns, key=None).with_remaining(file.columns)
    saved = saved_mappings.offered(upload.project, file.columns)
    return TablePreview(
        file=file,
        warnings=warnings,
        mapping=_as_mapping(columns) if mapping is None else mapping,
        left_out=read.left_out,
        questions=read.questions,
        long=None if columns.variant else uploads.long_format(upload),
        remembered=saved_mappings.recall_for(upload.project, file),
        saved=[(mapping, saved_mappings.missing(mapping.mapping, file.columns)) for mapping in saved],
        forecast=forecasts.forecast(upload, columns),
    )


def _as_mapping(columns: ColumnMap) -> dict[str, Any]:
    """The suggestion as a mapping; a part is an object if the dataset has another name for a column."""
    parts = {part: columns.columns_of(part) for part in PARTS}
    outputs: dict[str, Any] = (
        {"variant": columns.variant, "output": columns.outputs[0][1]} if columns.variant else {}
    )
    if columns.label:
        outputs = {"rater": columns.variant, "label": columns.label, "output": columns.outputs[0][1]}
    scores: dict[str, Any] = {}
    for (name, variant), raters in by_name_and_variant(columns.scores).items():
        scores.setdefault(name, {})[variant] = named_by(raters)
    return (
        {part: _as_part(named) for part, named in parts.items()}
        | {"key": columns.key}
        | (outputs or {"outputs": dict(columns.outputs)})
        | ({"scores": scores} if scores else {})
        | ({"measures": measure_columns.as_sent(columns.measures)} if columns.measures else {})
    )


def _as_part(named: dict[str, str]) -> list[str] | dict[str, str]:
    return [*named] if [*named] == [*named.values()] else named


def same_content(upload: Upload) -> Dataset | None:
    """A dataset that was imported from the same bytes and has not changed since; None if there is none."""
    ready = Dataset.objects.live().filter(status=Dataset.Status.READY, version=1)
    return ready.filter(project=upload.project, sha256=upload.sha256).first()


class EarlierVersion(NamedTuple):
    """A version that a file made of a dataset; the newest one may be another."""

    dataset: Dataset
    number: int


def earlier_version(upload: Upload) -> EarlierVersion | None:
    """The version of a dataset that came from the same bytes; None if none did."""
    ready = Dataset.objects.live().filter(project=upload.project, status=Dataset.Status.READY)
    if first := ready.filter(sha256=upload.sha256).order_by("-pk").first():
        return EarlierVersion(first, 1)
    done = DatasetImport.objects.filter(
        dataset__in=ready, is_dry_run=False, status=DatasetImport.Status.READY
    )
    change = done.filter(sha256=upload.sha256, version__isnull=False).select_related("dataset").first()
    return EarlierVersion(change.dataset, change.version or 1) if change else None


def same_rows(upload: Upload, columns: ColumnMap, examples: int) -> EarlierVersion | None:
    """The version of a dataset with as many examples as the file, and the same ones, though its bytes were others: its
    export, as a rule. Files with many rows are not looked at; newest versions come before older ones.
    """
    if not 0 < examples <= MOST_SAME_ROWS:
        return None
    ready = Dataset.objects.live().filter(project=upload.project, status=Dataset.Status.READY)
    alike = DatasetVersion.objects.filter(dataset__in=ready, example_count=examples).select_related("dataset")
    newest_first = alike.order_by(
        Case(When(number=F("dataset__version"), then=0), default=1), "-dataset", "-number"
    )
    found = large_changes.without_change(upload, columns, [*newest_first[:VERSIONS_LOOKED_AT]])
    return EarlierVersion(found.dataset, found.number) if found else None


@dataclass(frozen=True)
class OutputsPreview:
    """The first rows of a file with outputs, how all rows match the examples, and what the sender may decide."""

    file: ingest.Preview
    warnings: list[dict[str, Any]]
    mapping: dict[str, Any]
    questions: list[dict[str, Any]]
    match: Match


def outputs_of(
    upload: Upload, experiment: Experiment, mapping: dict[str, Any] | None, how: How = DEFAULTS
) -> OutputsPreview:
    """Preview with this mapping or `how.long`, else the suggested mapping; raises `Invalid` if it does not fit."""
    chosen = mapping
    if mapping is None and not how.long:
        chosen = second_files.suggest(upload, experiment).mapping
    read = outputs.checked(upload, chosen, how)
    file = uploads.preview(upload)
    return OutputsPreview(
        file=file,
        warnings=[warning.as_dict() for warning in uploads.warnings(upload, file)],
        mapping=chosen or {part: read[part] for part in ("output", "key", "position") if part in read},
        questions=choices.questions_about_outputs(upload, read, how),
        match=matches.match(upload, experiment, read),
    )
