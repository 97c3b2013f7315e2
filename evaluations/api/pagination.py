"""Pages of lists by signed cursors; a cursor is valid for one list with one set of filters."""

from collections.abc import Callable, Sequence
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
