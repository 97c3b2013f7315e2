"""Checks rows of a file against the schema of their dataset."""

from collections.abc import Iterator

import orjson

from evaluations.datasets.schemas import Checker, Mismatch
from evaluations.values import PARTS

from .incoming import Pending
from .refusals import Refusals


def drop_mismatches(checker: Checker, pending: Pending, refusals: Refusals) -> None:
    """Refuse the rows of `pending` that violate the schema."""
    if not checker.schemas:
        return
    mismatches = dict(_mismatches(checker, pending))
    if not mismatches:
        return
    rows = pending.rows
    for index, mismatch in mismatches.items():
        cells = rows[index : index + 1]
        line = pending.lines[index]
        refusals.add(line, "schema_mismatch", mismatch.reason, cells, mismatch.where, mismatch.hint)
    pending.keep([index for index in range(len(pending)) if index not in mismatches])


def _mismatches(checker: Checker, pending: Pending) -> Iterator[tuple[int, Mismatch]]:
    texts = zip(*(pending.parts[part] for part in PARTS), strict=True)
    for index, row in enumerate(texts):
        parts = dict(zip(PARTS, map(orjson.loads, row), strict=True))
        if mismatch := checker.mismatch(parts):
            yield index, mismatch
