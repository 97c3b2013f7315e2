"""The stretch of many examples that a page searches, from `?from=` on, and the addresses of the next ones."""

from dataclasses import dataclass

from evaluations.results import searching
from evaluations.results.searching import Stretch
from evaluations.values import LONGEST_SEARCH

from .paging import address, number
from .request import HttpRequest

FIRST_PAGE = {"after": None, "before": None, "open": None}


@dataclass(frozen=True)
class Searched:
    """The examples whose texts were searched, `first` to `last` of `whole`, and where to search on."""

    first: int
    last: int
    whole: int
    further: str | None
    beginning: str | None


def text(request: HttpRequest) -> str:
    return request.GET.get("q", "").strip()[:LONGEST_SEARCH]


def stretch(request: HttpRequest, whole: int) -> Stretch | None:
    """What the page searches of `whole` examples; None for all."""
    return searching.stretch(number(request, "from") or 0, whole)


def told(request: HttpRequest, stretch: Stretch | None) -> Searched | None:
    """What the page says of its search; None if that was of all examples."""
    if stretch is None:
        return None
    return Searched(
        **stretch.as_dict,
        further=None if stretch.is_last else address(request, **FIRST_PAGE | {"from": stretch.stop}),
        beginning=address(request, **FIRST_PAGE | {"from": None}) if stretch.start else None,
    )
