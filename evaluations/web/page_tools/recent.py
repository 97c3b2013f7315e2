"""What somebody opened last, for the front page: a cookie names the pages, and the database has their names of today.

The cookie holds nouns and ids, and the filters with which a page was left, named as in its title. It is read with the
rights of who asks; no page writes to the database for it.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from html import unescape
from itertools import accumulate, takewhile
from typing import Any

from django.conf import settings
from django.db.models import Model
from django.http import HttpResponse, QueryDict
from django.urls import reverse

from evaluations.models import Dataset, Project, Prompt
from evaluations.models.owned import OwnedQuerySet
from evaluations.numerals import whole

from . import visible
from .request import HttpRequest

COOKIE = f"recent-{settings.COOKIE_SUFFIX}"
KEPT, SHOWN = 12, 5
LONGEST, LONGEST_FILTER = 2_000, 300  # bytes of the cookie, and of the filters of one page
MONTH = 30 * 24 * 3600
PAGES: dict[str, Callable[[], OwnedQuerySet[Any]]] = {
    "experiment": visible.experiments,
    "run": visible.runs,
    "dataset": Dataset.objects.live,
    "prompt": Prompt.objects.live,
    "gate": visible.gates,
}
OF_A_MOMENT = (
    "row",
    "open",
    "after",
    "before",
    "details",
)  # opened, paged or folded, not filtered (recent.js)


@dataclass(frozen=True)
class Opened:
    noun: str
    name: str
    address: str
    filters: str = ""


@dataclass(frozen=True)
class Kept:
    """A page in the cookie; `query` and `filters`, its words, are "" for the page as it is."""

    noun: str
    pk: int
    query: str = ""
    filters: str = ""

    @property
    def thing(self) -> tuple[str, int]:
        return self.noun, self.pk

    @property
    def stored(self) -> str:
        filtered = urlsafe_b64encode(f"{self.query}\n{self.filters}".encode()).decode() if self.query else ""
        if len(filtered) > LONGEST_FILTER:
            filtered = ""
        return f"{self.noun}-{self.pk}~{filtered}".rstrip("~")


def remember(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware that puts the page of an object before the others in the cookie."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        match = request.resolver_match
        noun = str(match.url_name).removesuffix("-detail") if match else ""
        is_page = request.method == "GET" and response.status_code == 200
        if match and is_page and noun in PAGES and match.url_name == f"{noun}-detail":
            query, filters = _filtered(request, response)
            _put_first(request, response, Kept(noun, match.kwargs["pk"], query, filters))
        return response

    return middleware


def _filtered(request: HttpRequest, response: HttpResponse) -> tuple[str, str]:
    """The part of the address that filters the page, and what its title says of that."""
    query = request.GET.copy()
    for name in OF_A_MOMENT:
        query.pop(name, None)
    if not query or response.streaming:
        return "", ""
    title = response.content.decode().partition("<title>")[2].partition("</title>")[0]
    filters = " · ".join(" ".join(unescape(title).split()).split(" · ")[1:-1])
    return (query.urlencode(), filters) if filters else ("", "")


def _put_first(request: HttpRequest, response: HttpResponse, newest: Kept) -> None:
    before = list(_kept(request))
    if before[:1] == [newest]:
        return
    if request.htmx and (not before or before[0].thing != newest.thing):
        return  # a part that comes by itself, maybe in another tab
    kept = [newest.stored, *(one.stored for one in before if one.thing != newest.thing)][:KEPT]
    fitting = zip(kept, accumulate(len(one) + 1 for one in kept), strict=True)
    response.set_cookie(
        COOKIE,
        ".".join(one for one, _ in takewhile(lambda pair: pair[1] <= LONGEST, fitting)),
        max_age=MONTH,
        path=settings.COOKIE_PATH,
        secure=settings.HTTPS,
        httponly=True,
        samesite="Lax",
    )


def _kept(request: HttpRequest) -> Iterator[Kept]:
    """The pages in the cookie; whatever else it says is nothing."""
    for part in request.COOKIES.get(COOKIE, "")[:LONGEST].split(".")[:KEPT]:
        named, _, filtered = part.partition("~")
        noun, _, pk = named.partition("-")
        query = filters = ""
        with suppress(ValueError):
            query, _, filters = urlsafe_b64decode(filtered).decode().partition("\n")
        if noun in PAGES and (number := whole(pk)) is not None:
            yield Kept(noun, number, QueryDict(query).urlencode(), filters)


def opened(request: HttpRequest, project: Project) -> list[Opened]:
    """The pages of this project that were opened last in this browser, the last one first."""
    kept = list(_kept(request))
    found: dict[tuple[str, int], Model] = {}
    for noun, objects in PAGES.items():
        ids = [one.pk for one in kept if one.noun == noun]
        if ids:
            rows = objects().visible_to(request.user).filter(project=project).in_bulk(ids)
            found |= {(noun, pk): row for pk, row in rows.items()}
    return [_opened(one, found[one.thing]) for one in kept if one.thing in found][:SHOWN]


def _opened(kept: Kept, row: Model) -> Opened:
    page = reverse(f"{kept.noun}-detail", args=[row.pk])
    address = f"{page}?{kept.query}" if kept.query else page
    return Opened(kept.noun, str(row), address, kept.filters if kept.query else "")
