"""Pages of lists by signed cursors; a cursor is valid for one list with one set of filters."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.core import signing
from django.db.models import QuerySet
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations import keyset
from evaluations.errors import Invalid
from evaluations.keyset import Slice
from evaluations.results import searching
from evaluations.results.searching import Stretch
from evaluations.statistics.ordering import Cursor

from .authentication import key_of

AFTER, BEFORE = "a", "b"
Bound = Any  # JSON: the row that a page of a list follows or precedes


Fetch = Callable[[int, Bound, Bound], Slice]


def by_field(queryset: QuerySet[Any], field: str, *, newest_first: bool = True) -> Fetch:
    """The `fetch` of a queryset in the order of one unique field."""

    def fetch(size: int, after: Bound, before: Bound) -> Slice:
        return keyset.page(queryset, field, size, after=after, before=before, newest_first=newest_first)

    return fetch


def by_index(rows: Sequence[Any]) -> Fetch:
    """The `fetch` of an unchanging sequence, by index."""

    def fetch(size: int, after: Bound, before: Bound) -> Slice:
        start = max(0, before - size) if before is not None else after or 0
        end = before if before is not None else start + size
        return Slice(rows[start:end], start or None, end if end < len(rows) else None)

    return fetch


FetchWithin = Callable[[Stretch | None, int, Cursor | None, Cursor | None], Slice]


@dataclass(frozen=True)
class SearchedSlice(Slice):
    """Rows that were looked for in a stretch of a list."""

    searched: Stretch | None = None


def by_stretch(whole: int, fetch: FetchWithin) -> Fetch:
    """The `fetch` of a search, which looks at one stretch of the `whole` examples at once and goes on in the next.

    A bound is [value, index, start]: a cursor, and the start of its stretch. Without an index, the first page of the
    stretch follows, or the last one precedes.
    """

    def fetched(size: int, after: Bound, before: Bound) -> SearchedSlice:
        is_back = before is not None
        value, index, start = [*(before or after or [None, None]), 0][:BOUND]
        searched = searching.stretch(start, whole)
        cursor = None if index is None else Cursor(value, index)
        ends = (None, cursor or Cursor(None, whole)) if is_back else (cursor, None)
        part = fetch(searched, size, *ends)
        return SearchedSlice(part.rows, *_bounds(part, searched), searched)

    return fetched


BOUND = 3  # values of a bound


def _bounds(part: Slice, searched: Stretch | None) -> tuple[Bound, Bound]:
    start = searched.start if searched else 0
    before, after = (
        None if cursor is None else [cursor.value, cursor.index, start]
        for cursor in (part.before, part.after)
    )
    if before is None and start:
        before = [None, None, max(start - searching.SEARCHED, 0)]
    if after is None and searched and not searched.is_last:
        after = [None, None, searched.stop]
    return before, after


def _salt(request: Request) -> str:
    filters = sorted(
        (name, values) for name, values in request.query_params.lists() if name not in PAGING_PARAMETERS
    )
    return f"{request.path}?{urlencode(filters, doseq=True)}#{key_of(request).project_id}"


PAGING_PARAMETERS = ("cursor", "page_size")


def _read(request: Request) -> tuple[str, Bound]:
    cursor = request.query_params.get("cursor")
    if cursor is None:
        return "", None
    try:
        direction, bound = signing.loads(cursor, salt=_salt(request))
    except signing.BadSignature as foreign:
        raise Invalid(
            "invalid_cursor",
            "This cursor does not belong to this list with these filters.",
            hint="Follow the links of an answer, or start without a cursor.",
            fields={"cursor": ["The cursor belongs to another list."]},
        ) from foreign
    return direction, bound


def _link(request: Request, direction: str, bound: Bound) -> str | None:
    if bound is None:
        return None
    query = request.query_params.copy()
    query["cursor"] = signing.dumps([direction, bound], salt=_salt(request))
    return request.build_absolute_uri(f"{request.path}?{query.urlencode()}")


class Pages(BasePagination):
    """Reads a page of a queryset, newest first, or of what a `Fetch` reads."""

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> Any:
        fetch: Fetch = queryset if callable(queryset) else by_field(queryset, "pk")
        direction, bound = _read(request)
        self.request, size = request, view.params["page_size"]
        self.part = fetch(size, bound if direction == AFTER else None, bound if direction == BEFORE else None)
        return self.part.rows

    def get_paginated_response(self, data: Any) -> Response:
        """The answer with the rows of the page that was read."""
        after, before = (
            _link(self.request, AFTER, self.part.after),
            _link(self.request, BEFORE, self.part.before),
        )
        return Response({"next": after, "previous": before, "results": data})

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        link = {"type": ["string", "null"], "format": "uri"}
        properties = {"next": link, "previous": link, "results": schema}
        return {"type": "object", "required": list(properties), "properties": properties}

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        return []


class SearchedPages(Pages):
    """Pages of `by_stretch`, which say what was searched."""

    def get_paginated_response(self, data: Any) -> Response:
        answer = super().get_paginated_response(data)
        searched = self.part.searched if isinstance(self.part, SearchedSlice) else None
        answer.data["searched"] = searched and searched.as_dict
        return answer

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        answer = super().get_paginated_response_schema(schema)
        number = {"type": "integer"}
        answer["properties"]["searched"] = {
            "type": ["object", "null"],
            "description": "The examples whose texts were read for `search` or `different`, by their place in the "
            "file, where there are too many for one answer: rows and their order are of these, and `next` goes on "
            "behind them, also from a page without rows. null: all examples.",
            "properties": {"first": number, "last": number, "whole": number},
            "required": ["first", "last", "whole"],
        }
        return answer | {"required": list(answer["properties"])}
