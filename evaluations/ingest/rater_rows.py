"""Rows of ratings that become one row for each answer, with a column for what each of its raters said.

Annotation tools write a row for each rater. Read as they stand, two raters of one answer would count as two examples.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from .batch import Row
from .cell_texts import text_of_cell
from .column_names import words_of
from .likely import has_numbers
from .looked_at import ENOUGH, MOST_GRADES
from .role_words import NOT_OUTPUT, REMARKS
from .suggest import is_called_variant

RATERS = {"annotator", "assessor", "coder", "grader", "labeler", "labeller", "rater", "reviewer"}
UNIQUE = 0.9  # share of the rows from which a column names each row, as the number of a rating
REPEATED = 0.6  # share of the rows whose answers must have several
MOST_OPEN = 20_000  # answers that wait for their raters, where a file has them rater by rater
Line = tuple[int, Row]


class RaterRows(NamedTuple):
    """The columns that the rows of one answer share, of who rated it, and of the ratings.

    They are `adjacent` where the rows of an answer follow each other.
    """

    shared: tuple[str, ...]
    rater: str
    ratings: tuple[str, ...]
    adjacent: bool


def find(rows: Sequence[Row]) -> RaterRows | None:
    """How the rows are joined, if each is what one rater said of an answer of one of several variants.

    >>> said = [(n, who, n % (3 + place)) for n in range(9) for place, who in enumerate(["ann", "ben"])]
    >>> row = {"model": "a"}
    >>> rows = [row | {"answer": f"{n} is.", "annotator": who, "rating": rating} for n, who, rating in said]
    >>> find(rows)
    RaterRows(shared=('model', 'answer'), rater='annotator', ratings=('rating',), adjacent=True)
    >>> find(rows[::2])
    """
    columns = [*dict.fromkeys(name for row in rows for name in row)]
    said = {name: [text_of_cell(row.get(name)) for row in rows] for name in columns}
    who = [name for name in columns if words_of(name) & RATERS and 1 < len({*said[name]}) * 2 <= len(rows)]
    if len(rows) < ENOUGH or len(who) != 1 or not any(map(is_called_variant, columns)):
        return None
    [rater] = who
    ratings = [name for name in columns if name != rater and are_ratings(said[name])]
    shared = _shared({name: said[name] for name in columns if name not in (rater, *ratings)}, len(rows))
    answers = [*zip(*(said[name] for name in shared), strict=True)] if shared else []
    each = len({*answers})
    varied = [name for name in ratings if len({*zip(answers, said[name], strict=False)}) > each]
    is_one_each = len({*zip(answers, said[rater], strict=False)}) == len(rows)
    if not varied or not is_one_each or each > REPEATED * len(rows):
        return None
    shared = [name for name in columns if name in shared or (name in ratings and name not in varied)]
    changes = sum(one != other for one, other in pairwise(answers))
    return RaterRows((*shared,), rater, (*varied,), changes == each - 1)


def _shared(said: Mapping[str, Sequence[str]], count: int) -> list[str]:
    """The columns that the rows of an answer share: those whose values repeat, and what never differs between these.

    What says something of a rating, as a comment does, may be the same in some rows of an answer.
    """
    known = [name for name in said if len({*said[name]}) < UNIQUE * count and not _is_remark(name)]
    answers = [*zip(*(said[name] for name in known), strict=True)] if known else []
    return [
        name
        for name in said
        if name in known or len({*zip(answers, said[name], strict=False)}) == len({*answers}) > 0
    ]


def _is_remark(name: str) -> bool:
    return bool(words_of(name) & (NOT_OUTPUT | REMARKS))


def are_ratings(cells: Sequence[str]) -> bool:
    """Whether cells are a few different numbers, as ratings are."""
    found = {text for text in cells if text}
    return 1 < len(found) <= MOST_GRADES and has_numbers([*found])


class Joined:
    """Joins the rows of each answer; those that wait for others are the `rest`."""

    def __init__(self, fmt: RaterRows) -> None:
        self._format = fmt
        self._open: dict[tuple[str, ...], Line] = {}
        self._said: dict[tuple[str, ...], int] = {}

    def of(self, lines: Sequence[Line]) -> Iterator[Line]:
        """The answers that are complete before the last of these rows."""
        for line, row in lines:
            answer = tuple(text_of_cell(row.get(name)) for name in self._format.shared)
            if answer not in self._open:
                if self._format.adjacent or len(self._open) >= MOST_OPEN:
                    yield from self.rest()
                self._open[answer] = line, Row((name, row.get(name)) for name in self._format.shared)
            self._add(answer, row)

    def rest(self) -> list[Line]:
        """The answers that are not given yet."""
        found = [*self._open.values()]
        self._open, self._said = {}, {}
        return found

    def _add(self, answer: tuple[str, ...], row: Row) -> None:
        number = self._said[answer] = self._said.get(answer, 0) + 1
        _, joined = self._open[answer]
        for name in self._format.ratings:
            joined[f"{name} rater {number}"] = row.get(name)


def agreement(fmt: RaterRows, rows: Sequence[Row]) -> tuple[int, int]:
    """Of how many answers of these rows all ratings are the same, and how many have several raters."""
    lines = Joined(fmt._replace(adjacent=False))
    answers = [*lines.of([*enumerate(rows)]), *lines.rest()]
    said = [
        [
            {text_of_cell(row.get(name)) for name in row if name.startswith(f"{rating} rater ")}
            for rating in fmt.ratings
        ]
        for _, row in answers
        if f"{fmt.ratings[0]} rater 2" in row
    ]
    return sum(all(len(one) == 1 for one in ratings) for ratings in said), len(said)
