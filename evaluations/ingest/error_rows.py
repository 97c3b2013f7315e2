"""Files with a row for each error that a reviewer found in an answer, as those of MQM: an answer's rows become one.

A row has a category and a severity; an answer without an error has one row that says so. Its penalty is the sum of the
weights of its errors, and of several raters their mean, by Freitag et al., "Experts, Errors, and Context" (TACL 2021):
major 5, minor 1, minor punctuation 0.1, not translated 25, neutral 0; critical 10, as MQM has it.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evaluations.linear import Pattern

from . import penalties
from .batch import Row
from .cell_texts import text_of_cell
from .column_names import words_of
from .record import JSON
from .suggest import is_called_variant, plain

PENALTY = "penalty"  # the column of the sums
ENOUGH = 10  # rows
OF_ANSWERS = {
    "doc",
    "document",
    "id",
    "key",
    "seg",
    "segment",
    "source",
    "src",
}  # in names of what rows share
OF_RATERS = {"annotator", "rater", "reviewer"}
OF_CATEGORIES = {"categoria", "category", "categorie", "kategorie"}
PUNCTUATION, NOT_TRANSLATED = 0.1, 25.0
_NONE = {"", "no error", "no-error", "none", "no errors", "keine", "kein fehler"}
_MARKS = Pattern(r"</?v>")  # around an error
Line = tuple[int, Row]


class ErrorRows(NamedTuple):
    """The columns that rows of one answer share, of the severity of an error, of its category and of its rater.

    The last two are "" where there is none.
    """

    shared: tuple[str, ...]
    severity: str
    category: str = ""
    rater: str = ""


def find(rows: Sequence[Row]) -> ErrorRows | None:
    """How the rows are joined, if each is an error that somebody found in an answer; None of other rows.

    >>> row = {"system": "a", "seg_id": 1, "source": "s", "target": "t", "category": "Style"}
    >>> find([row | {"severity": ["Major", "Minor"][n % 2]} for n in range(10)])
    ErrorRows(shared=('system', 'seg_id', 'source'), severity='severity', category='category', rater='')
    >>> find([row | {"severity": n} for n in range(10)])
    """
    columns = [*dict.fromkeys(name for row in rows for name in row)]
    severity = next((name for name in columns if plain(name) in penalties.SEVERITY), "")
    said = {text_of_cell(row.get(severity)).casefold() for row in rows} if severity else set[str]()
    are_severities = said <= penalties.WEIGHTS.keys() | _NONE and len(said - _NONE) > 1
    if len(rows) < ENOUGH or not are_severities or not any(map(is_called_variant, columns)):
        return None
    rater, category = (_first(columns, words) for words in (OF_RATERS, OF_CATEGORIES))
    shared = tuple(
        name for name in columns if name != rater and (is_called_variant(name) or words_of(name) & OF_ANSWERS)
    )
    return ErrorRows(shared, severity, category, rater)


def _first(columns: Sequence[str], words: set[str]) -> str:
    return next((name for name in columns if words_of(name) & words), "")


class Joined:
    """Joins the rows of one answer that follow each other; the last answer is `rest`."""

    def __init__(self, fmt: ErrorRows) -> None:
        self._format = fmt
        self._open: Line | None = None
        self._total = 0.0
        self._raters: set[str] = set()

    def of(self, lines: Sequence[Line]) -> Iterator[Line]:
        """The answers that end before the last of these rows."""
        for line, row in lines:
            shared = self._format.shared
            if not self._open or any(self._open[1].get(name) != _bare(row.get(name)) for name in shared):
                yield from self.rest()
                left_out = (self._format.severity, self._format.category)
                self._open = line, {name: _bare(cell) for name, cell in row.items() if name not in left_out}
            self._total += self._weight(row)
            self._raters.add(text_of_cell(row.get(self._format.rater)))

    def rest(self) -> list[Line]:
        """The answer whose rows came last."""
        if self._open is None:
            return []
        line, answer = self._open
        answer[PENALTY] = round(self._total / len(self._raters), 4)
        self._open, self._total, self._raters = None, 0.0, set()
        return [(line, answer)]

    def _weight(self, row: Row) -> float:
        severity = text_of_cell(row.get(self._format.severity)).casefold()
        category = text_of_cell(row.get(self._format.category)).casefold()
        if severity == "minor" and "punctuation" in category:
            return PUNCTUATION
        if severity == "major" and "non-translation" in category:
            return NOT_TRANSLATED
        return penalties.WEIGHTS.get(severity, 0.0)


def _bare(cell: JSON) -> JSON:
    """A text without the marks around an error."""
    return _MARKS.sub("", cell) if isinstance(cell, str) else cell
