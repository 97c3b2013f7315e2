"""The context of a dataset's page: its rows, the open one, problems of its file, and an import in progress."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

import numpy as np
import orjson
from django.db.models import Count

from evaluations import keyset
from evaluations.access.addresses import public_address
from evaluations.datasets import datasets, identities, metadata, splits
from evaluations.experiments import column_outputs
from evaluations.imports import refused_rows
from evaluations.imports.problem_groups import grouped
from evaluations.imports.progress import progress
from evaluations.labelling import comments
from evaluations.models import Comment, Dataset, DatasetVersion, Example, Experiment, FailedImport
from evaluations.models.dataset import ExampleQuerySet
from evaluations.values import JSON, PARTS, by_column

from ..page_tools import searches
from ..page_tools.frame import Context, frame
from ..page_tools.paging import address, extended, number, paged
from ..page_tools.request import HttpRequest
from ..page_tools.texts import cell, key_width
from . import example_choice
from . import query as dataset_query
from .to_compare import to_compare

ROWS = 50
LONGEST_SHORT = 16  # characters of the texts of a column that leaves the room to others
LONGEST_TINY = 10  # the same of metadata, which is narrow anyway
ABOVE_THE_OPEN = 5  # rows shown above the open one
LONGEST_CELL = 300  # characters
COLUMNS_SHOWN, COLUMNS_BESIDE_AN_OPEN_ROW = 6, 2
# a download for another upload: columns include their part, and values keep their type
WITH_PARTS = {"parts": "yes"}
Formats = tuple[tuple[str, dict[str, str]], ...]
TO_READ: Formats = (
    ("CSV, for spreadsheets", {"format": "csv"}),
    ("CSV, cells as they are", {"format": "csv", "safe": "false"}),
    ("JSON Lines", {"format": "jsonl"}),
    ("Parquet", {"format": "parquet"}),
    ("Excel", {"format": "xlsx"}),
)
TO_UPLOAD_AGAIN: Formats = (
    ("CSV", {"format": "csv"} | WITH_PARTS),
    ("JSON Lines", {"format": "jsonl"} | WITH_PARTS),
    ("JSON", {"format": "json"} | WITH_PARTS),
    ("Parquet", {"format": "parquet"} | WITH_PARTS),
    ("Excel", {"format": "xlsx"} | WITH_PARTS),
)

Columns = dict[str, JSON]  # values of an example's part, by column


@dataclass(frozen=True)
class ShownRow:
    """A row of the table; each cell has its text and its CSS classes. A phone has the `reference` below the input."""

    position: int
    name: str
    address: str
    cells: list[tuple[str, str]]
    reference: str


@dataclass(frozen=True)
class OpenRow:
    """The row of `?row=`, with the addresses of its neighbours; `example` is None if the row does not exist."""

    position: int
    close: str
    example: Example | None = None
    link: str = ""
    parts: list[tuple[str, Columns]] = field(default_factory=list)
    before: str | None = None
    after: str | None = None
    comments: list[Comment] = field(default_factory=list)


def dataset_page(request: HttpRequest, dataset: Dataset) -> Context:
    is_importing = dataset.status == Dataset.Status.IMPORTING or dataset.imports.exists()
    page = {
        **frame(request, dataset.project, "datasets", dataset),
        "dataset": dataset,
        "progress": progress(dataset.imports.first()) if is_importing else None,
        "problems": grouped(dataset.errors, dataset.error_counts),
        "refused": refused_rows.of_last_import(dataset).count() if dataset.errors else 0,
        "failed_import": FailedImport.objects.filter(dataset=dataset).first() if dataset.errors else None,
    }
    if is_importing or dataset.status != Dataset.Status.READY:
        return page
    rows = _rows(request, dataset)
    can_select = rows["is_newest"] and rows["opened"] is None and "write" in page["may"]
    return {**page, **rows, "can_select": can_select, "downloads": _downloads(rows)}


def _downloads(rows: Context) -> list[tuple[str, list[tuple[str, str]]]]:
    """The downloads of the shown version and split by their purpose, each as label and query."""
    shown = {"version": rows["version"]} | ({"split": rows["split"].pk} if rows["split"] else {})
    return [
        (purpose, [(label, urlencode(options | shown)) for label, options in formats])
        for purpose, formats in (("To read", TO_READ), ("To upload again", TO_UPLOAD_AGAIN))
    ]


# ---- rows --------------------------------------------------------------------------------------------------


def _rows(request: HttpRequest, dataset: Dataset) -> Context:
    query = dataset_query.read(request, dataset)
    matching, versions = query.examples(), list(dataset.versions.all())
    size = _size(dataset, versions, query.version)
    table = _table(request, dataset, query.version, matching)
    return {
        **table,
        "version": query.version,
        "versions": versions,
        "is_newest": query.version == dataset.version,
        "search": query.search,
        "searched": searches.told(request, query.searched),
        "is_filtered": query.is_filtered,
        "matches": matching.count() if query.is_filtered else size,
        "ranks": None if query.is_filtered else _ranks(dataset, query.version, size, table["page"].rows),
        "choices": dataset_query.choices(query) if size <= metadata.MOST_COUNTED else [],
        "splits": list(splits.live(dataset)),
        "split": query.split,
        "filtered_by": [*query.metadata.items()],
        "kept_filter": urlencode(
            [(f"metadata[{column}]", value) for column, value in query.metadata.items()]
        ),
        "edit_all": example_choice.address(dataset, query.search, query.split, query.metadata),
        "has_column_variants": bool(column_outputs.candidates(dataset)),
        "experiments": Experiment.objects.live().filter(dataset=dataset).annotate(run_count=Count("runs")),
        "to_compare": to_compare(dataset),
    }


def _table(request: HttpRequest, dataset: Dataset, version: int, matching: ExampleQuerySet) -> Context:
    row = number(request, "row")
    opened = None if row is None else identities.position_in(dataset, version, row)
    named = None if opened is None else datasets.examples(dataset, version).filter(position=opened).first()
    in_place = datasets.in_place(matching)
    page = paged(request, in_place, "identity", ROWS, start_after=_before_the_open(named, in_place))
    columns = [(part, name) for part in PARTS for name in dataset.columns.get(part, ())]
    shown = columns[: COLUMNS_BESIDE_AN_OPEN_ROW if "row" in request.GET else COLUMNS_SHOWN]
    closed = address(request)
    rows = [_shown_row(closed, example, shown) for example in page.rows]
    return {
        "columns": [(part, name, _head_class(part, at, rows)) for at, (part, name) in enumerate(shown)],
        "more_columns": len(columns) - len(shown),
        "page": page,
        "rows": rows,
        "is_numbered": not any(example.key for example in page.rows[:1]),
        "key_width": key_width(row.name for row in rows),
        "opened": None if opened is None else _open_row(request, opened, named, matching),
    }


def _size(dataset: Dataset, versions: list[DatasetVersion], number: int) -> int:
    """The number of examples of a version."""
    example_counts = (version.example_count for version in versions if version.number == number)
    return next(example_counts, dataset.example_count)


def _ranks(dataset: Dataset, version: int, size: int, rows: Sequence[Example]) -> tuple[int, int] | None:
    """The ranks of the first and the last row among all of a version."""
    if not rows or (size < dataset.last_position and size > metadata.MOST_COUNTED):
        return None
    places = identities.of_version(dataset, version)
    first, last = (int(np.count_nonzero(places <= row.identity)) for row in (rows[0], rows[-1]))
    return first, last


def _before_the_open(opened: Example | None, rows: keyset.Parts) -> int | None:
    """The identity after which to begin, a few rows above the open one; None if the first page has that row."""
    if opened is None:
        return None
    earlier = keyset.page(rows, "identity", ROWS, before=opened.identity).rows
    return earlier[-1 - ABOVE_THE_OPEN].identity if len(earlier) == ROWS else None


def _shown_row(closed: str, example: Example, columns: list[tuple[str, str]]) -> ShownRow:
    parts = parts_of(example)
    references = [parts[part].get(name) for part, name in columns if part == "reference"]
    return ShownRow(
        example.position,
        example.name,
        extended(closed, row=example.position),
        [_cell(parts[part].get(name), part) for part, name in columns],
        "" if references[:1] in ([], [None]) else cell(references[0], LONGEST_CELL),
    )


def _head_class(part: str, column: int, rows: Sequence[ShownRow]) -> str:
    """The classes of a column's head: one whose texts are all short is narrow."""
    longest = max((len(row.cells[column][0]) for row in rows), default=0)
    if part == "metadata":
        return "minor tiny" if longest <= LONGEST_TINY else "minor"
    return f"{part} short" if longest <= LONGEST_SHORT else part


LESS_SHOWN = {"metadata": "minor"}  # the class of what gives way first where there is little room


def _cell(value: JSON, part: str) -> tuple[str, str]:
    css_class = f"clip {LESS_SHOWN.get(part, part)}"
    return ("no value", f"{css_class} nothing") if value is None else (cell(value, LONGEST_CELL), css_class)


def parts_of(example: Example) -> dict[str, Columns]:
    return {part: by_column(part, orjson.loads(getattr(example, part))) for part in PARTS}


def _open_row(
    request: HttpRequest, position: int, example: Example | None, matching: ExampleQuerySet
) -> OpenRow:
    close = address(request)
    if example is None:
        return OpenRow(position, close)
    before, after = datasets.neighbours(matching, example)
    return OpenRow(
        position,
        close,
        example,
        link=public_address(request, extended(close, row=position)),
        parts=[(part, values) for part, values in parts_of(example).items() if values],
        before=address(request, row=before) if before else None,
        after=address(request, row=after) if after else None,
        comments=list(comments.at_position(example.dataset_id, position)),
    )
