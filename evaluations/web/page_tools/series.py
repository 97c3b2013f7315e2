"""Neighbours in a list whose names differ in their numbers alone, as those of nightly runs, in one line."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Generic, TypeVar

from .paging import Page, address
from .request import HttpRequest

FEWEST = 3  # things from which on they are one line
MOST = 100  # things that are looked at for the lines of a page
FIRST = 10  # things of an open series that are shown; the others on request
OPEN = "series"  # of the address: the stems of series that are open
WHOLE = "whole_"  # before its name: those of which all things are shown
T = TypeVar("T")


@dataclass(frozen=True)
class Line(Generic[T]):
    """One thing, or a series of them with its `name` and the address of the page that opens or closes it.

    An open one shows its first things, and all of them at the address `whole`.
    """

    things: list[T]
    name: str = ""
    address: str = ""
    is_open: bool = True
    whole: str = ""

    @property
    def shown(self) -> list[T]:
        if not self.is_open:
            return []
        return self.things[:FIRST] if self.whole else self.things

    @property
    def rest(self) -> int:
        """How many more an open series has than it shows."""
        return len(self.things) - len(self.shown) if self.is_open else 0


def stem(name: str) -> str:
    """The name with # for each number; "" without one: then it is of no series."""
    parts = ("#" if is_number else "".join(signs) for is_number, signs in groupby(name, str.isdecimal))
    found = "".join(parts)
    return "" if found == name else found


def lines(
    request: HttpRequest,
    things: Sequence[T],
    name: Callable[[T], str],
    likeness: Callable[[T], Hashable],
    parameter: str = OPEN,
) -> list[Line[T]]:
    """The lines of a list. Things of one series have the same `likeness` too; what has None stands alone.

    The `parameter` of the address names the series that are open. What is looked for by name is shown one by one.
    """
    found: list[Line[T]] = []
    for _, neighbours in groupby(enumerate(things), lambda at: _key(at, name, likeness)):
        alike = [thing for _, thing in neighbours]
        if len(alike) < FEWEST or "q" in request.GET:
            found += [Line([thing]) for thing in alike]
        else:
            found.append(_series(request, alike, list(map(name, alike)), parameter))
    return found


def _key(at: tuple[int, T], name: Callable[[T], str], likeness: Callable[[T], Hashable]) -> Hashable:
    index, thing = at
    like = likeness(thing)
    found = "" if like is None else stem(name(thing))
    return (found, like) if found else index


def _series(request: HttpRequest, alike: list[T], names: list[str], parameter: str) -> Line[T]:
    opened, found = request.GET.getlist(parameter), stem(names[0])
    is_open = found in opened
    rest = [one for one in opened if one != found]
    now = rest if is_open else [*rest, found]
    in_whole = request.GET.getlist(WHOLE + parameter)
    others = [one for one in in_whole if one != found]
    toggle = address(request, **{parameter: now or None, WHOLE + parameter: others or None})
    has_rest = is_open and found not in in_whole and len(alike) > FIRST
    whole = address(request, **{WHOLE + parameter: [*in_whole, found]}) if has_rest else ""
    return Line(alike, span(names), toggle, is_open, whole)


def span(names: Sequence[str]) -> str:
    """Two names in one, as in "Nightly 001 to 060": the words that both have are said once."""
    first, last = (choose(names, key=_numbers).split() for choose in (min, max))
    before = _alike(first, last)
    behind = _alike(first[before:][::-1], last[before:][::-1])
    end = len(first) - behind
    return " ".join([*first[:end], "to", *last[before : len(last) - behind], *first[end:]])


def _numbers(name: str) -> list[int]:
    return [int("".join(digits)) for is_number, digits in groupby(name, str.isdecimal) if is_number]


def _alike(first: Sequence[str], last: Sequence[str]) -> int:
    """How many words at the beginning are the same."""
    pairs = enumerate(zip(first, last, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(first), len(last)))


def needed(names: Sequence[str], size: int) -> int:
    """How many of the first things make `size` lines, if all of one stem are alike."""
    count = 0
    for found, neighbours in groupby(names, stem):
        alike = sum(1 for _ in neighbours)
        made = 1 if found and alike >= FEWEST else alike
        if made >= size:
            return count + (alike if made == 1 else size)
        size, count = size - made, count + alike
    return count


def page(request: HttpRequest, pages: Callable[[int], Page], size: int) -> Page:
    """The page with `size` lines, of at most `MOST` things; `pages` gives one with so many things."""
    if "q" in request.GET:
        return pages(size)
    looked_at = pages(MOST)
    names = [row.name for row in looked_at.rows]
    enough = needed(names[::-1] if "before" in request.GET else names, size)
    return looked_at if enough == len(names) else pages(enough)
