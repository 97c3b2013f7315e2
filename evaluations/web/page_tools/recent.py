"""What somebody opened last, for the front page: a cookie names the pages, and the database has their names of today.

The cookie holds nouns and ids alone, and is read with the rights of who asks; no page writes to the database for it.
"""

from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Model
from django.http import HttpResponse
from django.urls import reverse

from evaluations.models import Dataset, Experiment, Gate, Project, Prompt, Run
from evaluations.models.owned import Owned
from evaluations.numerals import whole

from .request import HttpRequest

COOKIE = f"recent-{settings.COOKIE_SUFFIX}"
KEPT, SHOWN = 12, 5
MONTH = 30 * 24 * 3600
PAGES: dict[str, type[Owned]] = {
    "experiment": Experiment,
    "run": Run,
    "dataset": Dataset,
    "prompt": Prompt,
    "gate": Gate,
}


@dataclass(frozen=True)
class Opened:
    noun: str
    name: str
    address: str


def remember(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware that puts the page of an object before the others in the cookie."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        match = request.resolver_match
        noun = str(match.url_name).removesuffix("-detail") if match else ""
        is_page = request.method == "GET" and response.status_code == 200 and not request.htmx
        if match and is_page and noun in PAGES and match.url_name == f"{noun}-detail":
            _put_first(request, response, (noun, match.kwargs["pk"]))
        return response

    return middleware


def _put_first(request: HttpRequest, response: HttpResponse, newest: tuple[str, int]) -> None:
    before = _named(request)
    if before[:1] == [newest]:
        return
    kept = [newest, *(one for one in before if one != newest)][:KEPT]
    response.set_cookie(
        COOKIE,
        ".".join(f"{noun}-{pk}" for noun, pk in kept),
        max_age=MONTH,
        path=settings.COOKIE_PATH,
        secure=settings.HTTPS,
        httponly=True,
        samesite="Lax",
    )


def _named(request: HttpRequest) -> list[tuple[str, int]]:
    """The nouns and ids in the cookie; whatever else it says is nothing."""
    parts = (part.partition("-") for part in request.COOKIES.get(COOKIE, "")[:500].split("."))
    named = ((noun, whole(pk)) for noun, _, pk in parts if noun in PAGES)
    return [(noun, pk) for noun, pk in named if pk is not None][:KEPT]


def opened(request: HttpRequest, project: Project) -> list[Opened]:
    """The pages of this project that were opened last in this browser, the last one first."""
    named = _named(request)
    found: dict[tuple[str, int], Model] = {}
    for noun, model in PAGES.items():
        ids = [pk for kind, pk in named if kind == noun]
        if ids:
            rows = model.objects.visible_to(request.user).live().filter(project=project).in_bulk(ids)
            found |= {(noun, pk): row for pk, row in rows.items()}
    return [_opened(noun, found[noun, pk]) for noun, pk in named if (noun, pk) in found][:SHOWN]


def _opened(noun: str, row: Model) -> Opened:
    return Opened(noun, str(row), reverse(f"{noun}-detail", args=[row.pk]))
