"""Keyset pagination of a queryset by one unique field: the last page is as fast as the first.

Several querysets, each with the field that it is sorted by, are merged into one list.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from django.db.models import QuerySet


@dataclass(frozen=True)
class Slice:
    """The rows of a page, and the values to continue from on both sides; None at the ends of the list."""

    rows: Sequence[Any]
    before: Any = None
    after: Any = None


Parts = Sequence[tuple[QuerySet[Any], str]]


def page(
    queryset: QuerySet[Any] | Parts,
    field: str,
    size: int,
    *,
    after: Any = None,
    before: Any = None,
    newest_first: bool = False,
) -> Slice:
    """Up to `size` rows after the value `after`, or before the value `before`; by default the first ones.

    Of several parts, `field` is the attribute that all their rows have.
    """
    backwards = before is not None and after is None
    bound = before if backwards else after
    descending = newest_first != backwards
    parts = [(queryset, field)] if isinstance(queryset, QuerySet) else queryset
    page_rows = [row for part, name in parts for row in _rows(part, name, size + 1, bound, descending)]
    if len(parts) > 1:
        page_rows.sort(key=attrgetter(field), reverse=descending)
    has_more, page_rows = len(page_rows) > size, page_rows[:size]
    if not page_rows:
        return Slice([])
    if backwards:
        page_rows.reverse()
    first, last = getattr(page_rows[0], field), getattr(page_rows[-1], field)
    has_before, has_after = (has_more, True) if backwards else (bound is not None, has_more)
    return Slice(page_rows, first if has_before else None, last if has_after else None)


def _rows(queryset: QuerySet[Any], field: str, most: int, bound: Any, descending: bool) -> QuerySet[Any]:
    rows = queryset.order_by(f"-{field}" if descending else field)
    if bound is not None:
        rows = rows.filter(**{f"{field}__{'lt' if descending else 'gt'}": bound})
    return rows[:most]
