"""Sorts lists: `?sort=` names a column; a minus before it reverses the order."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from django.db.models import F, QuerySet, Window
from django.db.models.expressions import OrderBy
from django.db.models.functions import Lower, RowNumber

from . import url_values
from .paging import RESET, Page, address, paged
from .request import HttpRequest

Direction = Literal["ascending", "descending", ""]


@dataclass(frozen=True)
class Column:
    """What a column is sorted by; the first click on the head of one that `falls` puts the highest first."""

    by: Any
    falls: bool = True


Columns = Mapping[str, Column]  # by the titles of their heads, in small letters
NAME = Column(Lower("name"), falls=False)


@dataclass(frozen=True)
class Head:
    """The head of a sortable column: the address of the next order, and the direction of the present one."""

    address: str
    sort: Direction = ""


def heads(request: HttpRequest, columns: Columns, listed: str = "") -> dict[str, Head]:
    """The heads by column. On other pages than the list, they lead to the list at the address `listed`."""
    if listed not in ("", request.path):
        return {name: Head(f"{listed}?sort={_first(name, column)}") for name, column in columns.items()}
    now = request.GET.get("sort", "")
    return {name: _head(request, name, column, now) for name, column in columns.items()}


def _head(request: HttpRequest, name: str, column: Column, now: str) -> Head:
    if now.removeprefix("-") != name:
        return Head(address(request, **RESET, sort=_first(name, column)))
    falls = now.startswith("-")
    turned = name if falls else f"-{name}"
    return Head(address(request, **RESET, sort=turned), "descending" if falls else "ascending")


def _first(name: str, column: Column) -> str:
    return f"-{name}" if column.falls else name


def page(request: HttpRequest, objects: QuerySet[Any], columns: Columns, size: int) -> Page:
    """A page of the objects in the order of the address; newest first if it names no column."""
    sort = url_values.choice(request, "sort", [*columns, *(f"-{name}" for name in columns)], "")
    column = columns.get(sort.removeprefix("-"))
    if column is None:
        return paged(request, objects, "pk", size, newest_first=True)
    by = OrderBy(F("sorted_by"), descending=sort.startswith("-"), nulls_last=True)
    rank = Window(RowNumber(), order_by=[by, F("pk").desc()])
    return paged(request, objects.annotate(sorted_by=column.by).annotate(rank=rank), "rank", size)
