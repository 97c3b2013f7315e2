"""Pages of a list with cursors in the address: `?after=` and `?before=` name the row next to the page."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import QueryDict

from evaluations import keyset
from evaluations.numerals import whole

from .request import HttpRequest

# dropped from addresses that lead to other rows
RESET = {"after": None, "before": None, "open": None, "square": None}


@dataclass(frozen=True)
class Page:
    """The rows of a page; `previous` and `next` are addresses, None at the ends."""

    rows: list[Any]
    previous: str | None
    next: str | None


def paged(
    request: HttpRequest,
    objects: QuerySet[Any] | keyset.Parts,
    field: str,
    size: int = 50,
    *,
    newest_first: bool = False,
    start_after: int | None = None,
) -> Page:
    """One page of `objects`, by a field of unique integers; `start_after` applies if the address has no cursor."""
    after, before = number(request, "after"), number(request, "before")
    part = keyset.page(
        objects,
        field,
        size,
        after=start_after if after is None and before is None else after,
        before=before,
        newest_first=newest_first,
    )
    return Page(
        list(part.rows),
        previous=None if part.before is None else address(request, before=part.before, after=None),
        next=None if part.after is None else address(request, after=part.after, before=None),
    )


def number(request: HttpRequest, name: str) -> int | None:
    """An integer of the query string; None for anything else."""
    return number_of(request.GET, name)


def number_of(values: QueryDict, name: str) -> int | None:
    """An integer of a query string or form; None for anything else."""
    return whole(values.get(name) or "", 9)


def address(request: HttpRequest, **changes: Any) -> str:
    """This address with other parameters (values or lists; None removes one), and without the open row."""
    query: dict[str, Any] = dict(request.GET.lists())  # a copy of a QueryDict takes longer
    for name, value in ({"row": None} | changes).items():
        if value is None:
            query.pop(name, None)
        else:
            query[name] = value if isinstance(value, list) else [str(value)]
    return f"{request.path}?{urlencode(query, doseq=True)}" if query else request.path


def extended(page: str, **added: Any) -> str:
    """An address with more parameters; faster than calling `address` for each of many similar links."""
    return f"{page}{'&' if '?' in page else '?'}{urlencode(added, doseq=True)}"
