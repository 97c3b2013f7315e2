"""What a file would do to a dataset, and warnings if that is most of it: it may be the wrong file or mapping."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evaluations import ingest
from evaluations.datasets.digests import Digests
from evaluations.models import Dataset, DatasetImport, DatasetVersion, Upload
from evaluations.numerals import grouped

from ..columns.columnmap import ColumnMap
from ..uploads.uploads import LIMITS, opened
from .incoming import Pending
from .sorting import APPEND, KEEP, MIRROR, ExistingExamples, Sorter

CODE = "most_changed"
HINT = "Check that this is the right file, and that its columns are mapped like those of the dataset."
MODES = (APPEND, DatasetImport.Mode.MERGE, MIRROR)
Effects = dict[
    str, dict[str, int]
]  # by mode: examples that are added, changed and removed, rows that are refused


def warnings(counts: Mapping[str, int], examples: int) -> list[dict[str, Any]]:
    """
    >>> [each["message"] for each in warnings({"removed": 980, "changed": 3}, 999)]
    ['This removes 980 of 999 examples and changes 3.']
    >>> warnings({"removed": 1, "changed": 1}, 4)
    []
    """
    removed, changed = counts.get("removed", 0), counts.get("changed", 0)
    if 2 * (removed + changed) <= examples:
        return []
    message = _sentence(removed, changed, f"{grouped(examples)} examples")
    return [{"code": CODE, "message": message, "hint": HINT, "count": removed + changed, "first_lines": []}]


def _sentence(removed: int, changed: int, examples: str) -> str:
    if not removed:
        return f"This changes {grouped(changed)} of {examples}."
    changes = f" and changes {grouped(changed)}" if changed else ""
    return f"This removes {grouped(removed)} of {examples}{changes}."


def forecast(upload: Upload, columns: ColumnMap, dataset: Dataset) -> Effects:
    """What the file would do in each mode; reads the whole file and dataset."""
    rows, existing = _rows(upload, columns), ExistingExamples.read(dataset)
    return {mode: _counts(rows, existing.again(), mode) for mode in MODES}


def without_change(
    upload: Upload, columns: ColumnMap, versions: Sequence[DatasetVersion]
) -> DatasetVersion | None:
    """The first of these versions that a mirror of the file would leave as it is; reads the whole file and versions."""
    rows = _rows(upload, columns) if versions else None
    for version in versions:
        existing = ExistingExamples.read(version.dataset, version=version)
        if rows and not any(_counts(rows, existing, MIRROR).values()):
            return version
    return None


def _rows(upload: Upload, columns: ColumnMap) -> Pending:
    pending = Pending(keep_rows=False, with_digests=True)
    with opened(upload) as file:
        reader = ingest.open_rows(file, ingest.Format.from_dict(upload.format), LIMITS)
        for batch in reader.batches():
            pending.add(batch, columns.with_remaining(reader.columns), [])
    return pending


def _counts(rows: Pending, existing: ExistingExamples, mode: str) -> dict[str, int]:
    sorter = Sorter(existing, mode, KEEP)
    has_key = np.array([key is not None for key in rows.keys], np.bool_)
    first = sorter.first_pass(Digests.from_bytes(rows.names), Digests.from_bytes(rows.contents), has_key)
    batches = [*sorter.settle()]
    return {
        "added": sum(len(batch.added) for batch in batches),
        "changed": sum(len(batch.changed) for batch in batches),
        "removed": len(existing.unused()) if mode == MIRROR else 0,
        "refused": len(first.refused) + sum(len(batch.refused) for batch in batches),
    }
