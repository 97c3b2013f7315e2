"""Warns if a file changes or removes more than half of a dataset: it may be the wrong file or mapping."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from evaluations import ingest
from evaluations.datasets.digests import Digests
from evaluations.models import Dataset, DatasetImport, Upload
from evaluations.numerals import grouped

from ..columns.columnmap import ColumnMap
from ..uploads.uploads import LIMITS, opened
from .incoming import Pending
from .sorting import KEEP, MIRROR, ExistingExamples, Sorter

CODE = "most_changed"
HINT = "Check that this is the right file, and that its columns are mapped like those of the dataset."
MODES = (DatasetImport.Mode.MERGE, MIRROR)
LargeChanges = dict[str, list[dict[str, Any]]]


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


def forecast(upload: Upload, columns: ColumnMap, dataset: Dataset) -> LargeChanges:
    """The warnings for a merge and for a mirror with the file; reads the whole file and dataset."""
    rows, existing = _rows(upload, columns), ExistingExamples.read(dataset)
    return {mode: warnings(_counts(rows, existing.again(), mode), dataset.example_count) for mode in MODES}


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
    sorter.first_pass(Digests.from_bytes(rows.names), Digests.from_bytes(rows.contents), has_key)
    changed = sum(len(batch.changed) for batch in sorter.settle())
    return {"changed": changed, "removed": len(existing.unused()) if mode == MIRROR else 0}
