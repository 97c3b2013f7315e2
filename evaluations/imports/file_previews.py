"""Previews of imports for the API: everything that the pages of an upload show step by step."""

from dataclasses import dataclass, replace
from typing import Any

from evaluations import ingest
from evaluations.ingest import LongFormat
from evaluations.models import Dataset, Experiment, SavedMapping, Upload
from evaluations.values import PARTS

from . import forecasts, imports, outputs
from .columns import columnmap, guessed_roles, saved_mappings
from .columns.columnmap import ColumnMap
from .forecasts import Forecast
from .outputs import Match
from .uploads import uploads


@dataclass(frozen=True)
class TablePreview:
    """The first rows of a table, a mapping of its columns, and the result of importing with it.

    `remembered` is the mapping of the project's last file with these columns. `saved` are the project's mappings, each
    with the columns that this file lacks.
    """

    file: ingest.Preview
    warnings: list[dict[str, Any]]
    mapping: dict[str, Any]
    left_out: list[str]
    long: LongFormat | None
    remembered: dict[str, Any] | None
    saved: list[tuple[SavedMapping, list[str]]]
    forecast: Forecast


def table(upload: Upload, mapping: dict[str, Any] | None) -> TablePreview:
    """Preview with this mapping, else the suggested one; raises `Invalid` if it does not fit the file."""
    file, columns = uploads.preview(upload), imports.checked(upload, mapping)
    warnings = [warning.as_dict() for warning in uploads.warnings(upload, file)]
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
        left_out=columns.left_out(file.columns),
        long=None if columns.variant else uploads.long_format(upload),
        remembered=saved_mappings.recall(upload.project, file.columns),
        saved=[(mapping, saved_mappings.missing(mapping.mapping, file.columns)) for mapping in saved],
        forecast=forecasts.forecast(upload, columns),
    )


def _as_mapping(columns: ColumnMap) -> dict[str, Any]:
    """The suggestion as a mapping; a part is an object if the dataset has another name for a column."""
    parts = {part: columns.columns_of(part) for part in PARTS}
    return {part: _as_part(named) for part, named in parts.items()} | {
        "key": columns.key,
        "outputs": dict(columns.outputs),
    }


def _as_part(named: dict[str, str]) -> list[str] | dict[str, str]:
    return [*named] if [*named] == [*named.values()] else named


def same_content(upload: Upload) -> Dataset | None:
    """A dataset that was imported from the same bytes and has not changed since; None if there is none."""
    ready = Dataset.objects.live().filter(status=Dataset.Status.READY, version=1)
    return ready.filter(project=upload.project, sha256=upload.sha256).first()


@dataclass(frozen=True)
class OutputsPreview:
    """The first rows of a file with the outputs of one variant, and how all rows match the examples."""

    file: ingest.Preview
    warnings: list[dict[str, Any]]
    mapping: dict[str, Any]
    match: Match


def outputs_of(upload: Upload, experiment: Experiment, mapping: dict[str, Any] | None) -> OutputsPreview:
    """Preview with this mapping, else the suggested one; raises `Invalid` if it does not fit the file."""
    file = uploads.preview(upload)
    chosen = outputs.suggest(file.columns) if mapping is None else mapping
    checked = columnmap.check_outputs(file.columns, chosen)
    warnings = [warning.as_dict() for warning in uploads.warnings(upload, file)]
    return OutputsPreview(file, warnings, chosen, outputs.match(upload, experiment, checked))
