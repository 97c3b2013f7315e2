"""Pages of a list by a cursor in the address: `?after=` and `?before=` name the row beside the page."""

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest

# What an address loses when other rows are asked for.
RESET = {"after": None, "before": None, "open": None, "square": None}


@dataclass(frozen=True)
class Page:
    """The rows of one page; `previous` and `next` are addresses, None at the ends."""

    rows: list[Any]
    previous: str | None
    next: str | None


def paged(
    request: HttpRequest, things: QuerySet, field: str, size: int = 50, *, newest_first: bool = False
) -> Page:
    """One page of `things` by a field of whole numbers that no two share."""
    after, before = number(request, "after"), number(request, "before")
    sign, behind, ahead = ("-", "lt", "gt") if newest_first else ("", "gt", "lt")
    if before is not None and after is None:
        rows = list(
            things.filter(**{f"{field}__{ahead}": before}).order_by(_turned(sign) + field)[: size + 1]
        )
        is_first, is_last = len(rows) <= size, False
        rows = rows[:size][::-1]
    else:
        where = {} if after is None else {f"{field}__{behind}": after}
        rows = list(things.filter(**where).order_by(sign + field)[: size + 1])
        is_first, is_last = after is None, len(rows) <= size
        rows = rows[:size]
    ends = [getattr(row, field) for row in (rows[0], rows[-1])] if rows else [None, None]
    return Page(
        rows,
        previous=None if is_first or not rows else address(request, before=ends[0], after=None),
        next=None if is_last or not rows else address(request, after=ends[1], before=None),
    )


def _turned(sign: str) -> str:
    return "" if sign else "-"


def number(request: HttpRequest, name: str) -> int | None:
    """A whole number of the query string; None for anything else, for an address may be typed by hand."""
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def address(request: HttpRequest, **changes: Any) -> str:
    """This address with other values in its query string; None takes one out. The open row closes."""
    query = request.GET.copy()
    for name, value in ({"row": None} | changes).items():
        if value is None:
            query.pop(name, None)
        else:
            query[name] = str(value)
    return f"{request.path}?{query.urlencode()}" if query else request.path
