"""Sorts the list of experiments: `?sort=` names a column; a minus before it reverses the order."""

from dataclasses import dataclass
from typing import Literal

from django.db.models import F, Max, OuterRef, Q, QuerySet, Subquery, Window
from django.db.models.expressions import OrderBy
from django.db.models.functions import Coalesce, Lower, RowNumber
from django.urls import reverse

from evaluations.models import DatasetVersion, Experiment, Project

from ..page_tools import url_values
from ..page_tools.paging import RESET, Page, address, paged
from ..page_tools.request import HttpRequest

EXAMPLES = DatasetVersion.objects.filter(dataset=OuterRef("dataset"), number=OuterRef("dataset_version"))
COLUMNS = {
    "question": Lower("name"),
    "examples": Subquery(EXAMPLES.values("example_count")),
    "finished": Max("runs__finished_at", filter=Q(runs__deleted_at=None, runs__for_gate=False)),
}
# order of the first click; the next one reverses it
FIRST = {"question": "question", "examples": "-examples", "finished": "-finished"}
Direction = Literal["ascending", "descending", ""]


@dataclass(frozen=True)
class Head:
    """The head of a sortable column: the address of the next order, and the direction of the present one."""

    address: str
    sort: Direction = ""


def by_finish(experiments: QuerySet[Experiment]) -> QuerySet[Experiment]:
    """The experiments whose last run finished first are last; one without any is as old as it is."""
    finished = Coalesce(COLUMNS["finished"], "created_at")
    return experiments.annotate(finished_at=finished).order_by("-finished_at", "-pk")


def heads(request: HttpRequest, project: Project) -> dict[str, Head]:
    """The heads by column. On other pages than the list, they link to the list."""
    now, listed = request.GET.get("sort", ""), reverse("experiment-list", args=[project.slug])
    if request.path != listed:
        return {column: Head(f"{listed}?sort={first}") for column, first in FIRST.items()}
    return {column: _head(request, column, now) for column in COLUMNS}


def _head(request: HttpRequest, column: str, now: str) -> Head:
    if now.removeprefix("-") != column:
        return Head(address(request, **RESET, sort=FIRST[column]))
    turned = column if now.startswith("-") else f"-{column}"
    return Head(address(request, **RESET, sort=turned), "descending" if now.startswith("-") else "ascending")


def page(request: HttpRequest, experiments: QuerySet[Experiment], size: int) -> Page:
    """A page of the experiments in the order of the address; newest first if it names no column."""
    sort = url_values.choice(request, "sort", [*COLUMNS, *(f"-{column}" for column in COLUMNS)], "")
    column = COLUMNS.get(sort.removeprefix("-"))
    if column is None:
        return paged(request, experiments, "pk", size, newest_first=True)
    by = OrderBy(F("sorted_by"), descending=sort.startswith("-"), nulls_last=True)
    rank = Window(RowNumber(), order_by=[by, F("pk").desc()])
    return paged(request, experiments.annotate(sorted_by=column).annotate(rank=rank), "rank", size)
