"""Pages of lists by signed cursors; a cursor is valid for one list with one set of filters."""

from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlencode

from django.core import signing
from django.db.models import QuerySet
from rest_framework.pagination import BasePagination
from rest_framework.request import Request

from evaluations import keyset
from evaluations.errors import Invalid
from evaluations.keyset import Slice

from .authentication import key_of

AFTER, BEFORE = "a", "b"
Bound = Any  # JSON: the row that a page of a list follows or precedes


Fetch = Callable[[int, Bound, Bound], Slice]


def page(
    request: Request, size: int, fetch: Fetch, shown: Callable[[Sequence[Any]], list[Any]]
) -> dict[str, Any]:
    """The answer with one page of a list; `fetch(size, after, before)` reads its rows."""
    direction, bound = _read(request)
    part = fetch(size, bound if direction == AFTER else None, bound if direction == BEFORE else None)
    return {
        "next": _link(request, AFTER, part.after),
        "previous": _link(request, BEFORE, part.before),
        "results": shown(part.rows),
    }


def by_field(queryset: QuerySet[Any], field: str, *, newest_first: bool = True) -> Fetch:
    """The `fetch` of a queryset in the order of one unique field."""

    def fetch(size: int, after: Bound, before: Bound) -> Slice:
        return keyset.page(queryset, field, size, after=after, before=before, newest_first=newest_first)

    return fetch


def by_index(rows: Sequence[Any]) -> Fetch:
    """The `fetch` of an unchanging sequence, by index."""

    def fetch(size: int, after: Bound, before: Bound) -> Slice:
        start = max(0, before - size) if before is not None else after or 0
        end = start + size
        return Slice(rows[start:end], start or None, end if end < len(rows) else None)

    return fetch


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
    """The OpenAPI schema of a page; the views build pages with `page`."""

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        link = {"type": ["string", "null"], "format": "uri"}
        properties = {"next": link, "previous": link, "results": schema}
        return {"type": "object", "required": list(properties), "properties": properties}

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        return []
