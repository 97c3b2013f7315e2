"""Rows that can be read but that the dataset refuses: all are counted, the first ones stored."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from evaluations import ingest
from evaluations.values import text_of

from ..uploads.uploads import LIMITS

AT_MOST_REFUSED = 1_000
REMEDIES = {
    "duplicate_example": "Leave out rows that repeat others, or keep duplicates.",
    "duplicate_key": "Give every row its own key, or map no key.",
    "schema_mismatch": "Correct the value, or change the schema of the dataset.",
    "duplicate_output": "Keep one row for each example and variant.",
    "duplicate_label": "Keep one label of each rater for each example.",
    "nothing_to_label": "Give every row the text that was labelled.",
    "variant_missing": "Name the variant of every row in at most 200 characters, or the rater in at most 100.",
}


class Refusals:
    """`problems` are error objects, `rows` hold the cells for download; both are bounded, `counts` is complete."""

    def __init__(self, key: str | None):
        self.key = key
        self.problems: list[dict[str, Any]] = []
        self.counts: Counter[str] = Counter()
        self.rows: list[ingest.RefusedRow] = []

    def add(
        self,
        line: int,
        code: str,
        reason: str,
        row: list[ingest.Row],
        where: Mapping[str, Any] | None = None,
        hint: str = "",
    ) -> None:
        """Refuse a row; `row` are its cells, empty if they are not stored."""
        message = f"Line {line}: {reason}."
        self.counts[code] += 1
        if len(self.problems) < LIMITS.errors_kept:
            location = {"column": self.key} if code == "duplicate_key" else where or {}
            at = {"line": line, **location}
            problem = {"code": code, "message": message, "hint": hint or REMEDIES[code], "where": at}
            self.problems.append(problem)
        if row and len(self.rows) < AT_MOST_REFUSED:
            cells = tuple(text_of(value) or "" for value in row[0].values())
            self.rows.append(ingest.RefusedRow(line, code, message, cells, tuple(row[0])))
