"""Reading the audit log: filters, and a file for an auditor."""

import csv
from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import QuerySet

from evaluations.models import AuditEntry
from evaluations.spreadsheet import guarded
from evaluations.values import canonical_json

HEADER = ("at", "who", "key", "action", "type", "id", "name", "request", "details")
LOOKUPS = {"who": "actor_name", "action": "action", "since": "at__date__gte", "until": "at__date__lte"}


def matching(entries: QuerySet[AuditEntry], filters: Mapping[str, Any]) -> QuerySet[AuditEntry]:
    """The entries that match `who`, `action`, `since` and `until` (days in UTC, both included), if these are set."""
    lookups = {LOOKUPS[name]: value for name, value in filters.items() if value and name in LOOKUPS}
    return entries.filter(**lookups).select_related("api_key")


class Line:
    """A file whose `write` returns its text, so that `csv.writer.writerow` returns the line it writes."""

    def write(self, text: str) -> str:
        return text


def lines(entries: QuerySet[AuditEntry]) -> Iterator[str]:
    """The entries as lines of CSV, oldest first; cells that a spreadsheet would run as formulas are guarded."""
    writer = csv.writer(Line())
    yield writer.writerow(HEADER)
    for entry in entries.order_by("pk").iterator(1_000):
        cells = (
            entry.at.isoformat(),
            entry.actor_name,
            str(entry.api_key or ""),
            entry.action,
            entry.object_type,
            entry.object_id,
            entry.object_name,
            entry.request_id,
            canonical_json(entry.details),
        )
        yield writer.writerow([guarded(cell) for cell in cells])
