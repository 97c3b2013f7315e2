"""Pages by signed cursors: each says where to go on, in the list and with the filters it was made for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.core import signing
from django.db.models import QuerySet
from rest_framework.pagination import BasePagination
from rest_framework.request import Request

from evaluations.errors import Invalid

AFTER, BEFORE = "a", "b"
Place = Any  # JSON: what a list needs to go on from a row


@dataclass(frozen=True)
class Found:
    """One page: its rows and the places that lead to the neighbouring pages, None at the ends."""

    rows: Sequence[Any]
    before: Place = None
    after: Place = None


Fetch = Callable[[int, Place, Place], Found]


def page(
    request: Request, size: int, fetch: Fetch, shown: Callable[[Sequence[Any]], list[Any]]
) -> dict[str, Any]:
    """The answer of a list; `fetch(size, after, before)` reads one page of it."""
    direction, place = _read(request)
    found = fetch(size, place if direction == AFTER else None, place if direction == BEFORE else None)
    return {
        "next": _link(request, AFTER, found.after),
        "previous": _link(request, BEFORE, found.before),
        "results": shown(found.rows),
    }


def by_field(queryset: QuerySet, field: str, *, newest_first: bool = True) -> Fetch:
    """Pages of a queryset in the order of one unique field."""

    def fetch(size: int, after: Place, before: Place) -> Found:
        backwards = before is not None
        falling = newest_first is not backwards
        rows = queryset.order_by(f"-{field}" if falling else field)
        place = before if backwards else after
        if place is not None:
            rows = rows.filter(**{f"{field}__{'lt' if falling else 'gt'}": place})
        taken = list(rows[: size + 1])
        more, taken = len(taken) > size, taken[:size]
        if backwards:
            taken.reverse()
        if not taken:
            return Found([])
        first, last = getattr(taken[0], field), getattr(taken[-1], field)
        has_before, has_after = (more, True) if backwards else (place is not None, more)
        return Found(taken, first if has_before else None, last if has_after else None)

    return fetch


def _salt(request: Request) -> str:
    kept = sorted((name, values) for name, values in request.query_params.lists() if name not in OWN)
    return f"{request.path}?{urlencode(kept, doseq=True)}#{request.auth.project_id}"


OWN = ("cursor", "page_size")


def _read(request: Request) -> tuple[str, Place]:
    cursor = request.query_params.get("cursor")
    if cursor is None:
        return "", None
    try:
        direction, place = signing.loads(cursor, salt=_salt(request))
    except signing.BadSignature as foreign:
        raise Invalid(
            "invalid_cursor",
            "This cursor does not belong to this list with these filters.",
            hint="Follow the links of an answer, or begin without a cursor.",
            fields={"cursor": ["Not of this list."]},
        ) from foreign
    return direction, place


def _link(request: Request, direction: str, place: Place) -> str | None:
    if place is None:
        return None
    query = request.query_params.copy()
    query["cursor"] = signing.dumps([direction, place], salt=_salt(request))
    return request.build_absolute_uri(f"{request.path}?{query.urlencode()}")


class Pages(BasePagination):
    """How the schema describes a page; the views make them with `page`."""

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        link = {"type": "string", "format": "uri", "nullable": True}
        properties = {"next": link, "previous": link, "results": schema}
        return {"type": "object", "required": list(properties), "properties": properties}

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        return []
