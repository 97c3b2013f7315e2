"""Cursors, numbers and choices in addresses of result pages; invalid values count as missing, and are named."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TypeVar

from django.contrib import messages

from evaluations.models import Evaluator
from evaluations.short_texts import shortened
from evaluations.statistics.ordering import Cursor

from .paging import address
from .request import HttpRequest

Word = TypeVar("Word", bound=str)
Thing = TypeVar("Thing")
MOST_NAMED = 20  # choices in a message


@dataclass(frozen=True)
class Segment:
    """A selection of rows, with their number; a word that is a name is written as it is. `about` explains it."""

    word: str
    count: int
    address: str
    is_current: bool = False
    is_name: bool = False
    about: str = ""


def as_text(cursor: Cursor | None) -> str | None:
    """A cursor in an address: value and index, or only the index if there is no value.

    >>> as_text(Cursor(0.27, 133)), as_text(Cursor(None, 4)), as_text(None)
    ('0.27:133', ':4', None)
    """
    if cursor is None:
        return None
    value = "" if cursor.value is None else repr(cursor.value)
    return f"{value}:{cursor.index}"


def cursor(request: HttpRequest, name: str) -> Cursor | None:
    value, colon, index = request.GET.get(name, "").rpartition(":")
    if not colon or not index.isascii() or not index.isdigit() or len(index) > 9:
        return None
    return Cursor(finite(value), int(index))


def neighbour_pages(
    request: HttpRequest, before: Cursor | None, after: Cursor | None
) -> tuple[str | None, str | None]:
    """The addresses of the previous and the next page; None at the ends."""
    return (
        address(request, before=as_text(before), after=None, open=None) if before else None,
        address(request, after=as_text(after), before=None, open=None) if after else None,
    )


def decimal(request: HttpRequest, name: str) -> float | None:
    """A finite number in the query string; anything else is named."""
    text = request.GET.get(name, "")
    value = finite(text)
    if text and value is None:
        not_understood(request, name, text)
    return value


def finite(text: str) -> float | None:
    """The number in a text; None for anything else."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def square(request: HttpRequest, name: str) -> tuple[int, int] | None:
    """Two indices joined by a dash, such as "3-17"."""
    across, dash, up = request.GET.get(name, "").partition("-")
    whole = all(text.isascii() and text.isdigit() and len(text) < 3 for text in (across, up))
    return (int(across), int(up)) if dash and whole else None


def parameters(
    request: HttpRequest, *, only: Collection[str] | None = None, without: Collection[str] = ()
) -> list[tuple[str, str]]:
    """Names and values in the address that a form of filters repeats as hidden fields."""
    return [
        (name, value)
        for name, values in request.GET.lists()
        if name not in without and (only is None or name in only)
        for value in values
    ]


def choice(request: HttpRequest, name: str, choices: Collection[Word], otherwise: Word) -> Word:
    """One of the choices; any other is named with those there are, and with what is shown instead."""
    chosen = request.GET.get(name) or otherwise
    for one in (otherwise, *choices):
        if one == chosen:
            return one
    known = ", ".join([one for one in choices if one][:MOST_NAMED])
    not_understood(
        request, name, chosen, f" There are {known}{f'; shown is {otherwise}' if otherwise else ''}."
    )
    return otherwise


def named(request: HttpRequest, name: str, known: Mapping[str, Thing]) -> Thing | None:
    """The thing that the query string names, of those known by their ids or names; any other is said to be left out."""
    text = request.GET.get(name, "")
    thing = known.get(text)
    if text and thing is None:
        not_understood(request, name, text)
    return thing


def by_evaluator(things: Mapping[Evaluator, Thing]) -> dict[str, Thing]:
    """Things for `named` by the name of their evaluator, as the API has it, and by its id, which comes first."""
    by_name = {evaluator.name: thing for evaluator, thing in things.items()}
    return by_name | {str(evaluator.pk): thing for evaluator, thing in things.items()}


def not_understood(request: HttpRequest, name: str, value: str, instead: str = "") -> None:
    """Say once which part of the address the page leaves out; parts of pages that htmx requests say nothing."""
    text = f"“{name}={shortened(value, 40)}” of this address was not understood and is left out.{instead}"
    told: set[str] = request.__dict__.setdefault("not_understood", set())
    if not request.htmx and text not in told:
        told.add(text)
        messages.warning(request, text, fail_silently=True)
