"""Tables in which several people rated the same answers of the same variants: a sheet or a file for each rater."""

from collections.abc import Sequence

from .batch import Row
from .cell_texts import text_of_cell
from .column_names import words_of
from .file_tables import Table
from .rater_rows import are_ratings
from .role_words import NOT_OUTPUT, REMARKS
from .suggest import is_called_variant

RATER = "rater"
COMMON = 0.8  # share of the answers of each table that the first one must have, too
MOST_VARIANTS = 100


def are_of_raters(tables: Sequence[Table]) -> bool:
    """Whether a column names several variants in each table, and the same answers have other ratings in each.

    >>> def sheet(name, add):
    ...     said = [(n, bot) for n in range(9) for bot in ("old", "new")]
    ...     return Table(name, [{"no": n, "bot": bot, "text": f"{bot} {n}", "note": (n + add) % 5} for n, bot in said])
    >>> are_of_raters([sheet("Ann", 0), sheet("Ben", 1)]), are_of_raters([sheet("Ann", 0), sheet("Ann again", 0)])
    (True, False)
    """
    first, *others = tables
    shared = _shared(tables)
    named = [name for name in shared if is_called_variant(name)]
    variants = {text_of_cell(row.get(name)) for row in first.rows for name in named[:1]}
    if not others or not 1 < len(variants) <= MOST_VARIANTS or len(first.columns) - len(shared) < 1:
        return False
    by_answer = [{_answer(row, shared): row for row in table.rows} for table in tables]
    known = by_answer[0]
    if len(known) < len(first.rows):
        return False
    common = all(sum(one in known for one in answers) >= COMMON * len(answers) > 0 for answers in by_answer)
    return common and any(
        known.get(one, row) != row for answers in by_answer[1:] for one, row in answers.items()
    )


def answer_by_answer(rows: Sequence[Row], tables: Sequence[Table]) -> list[Row]:
    """The rows of all raters, those of one answer after each other, as the first table has the answers."""
    shared = _shared(tables)
    places: dict[tuple[str, ...], int] = {}
    for row in rows:
        places.setdefault(_answer(row, shared), len(places))
    return sorted(rows, key=lambda row: places[_answer(row, shared)])


def _shared(tables: Sequence[Table]) -> list[str]:
    """The columns that say which answer a row is about: no ratings, and no remarks."""
    first = tables[0]
    return [
        name
        for name in first.columns
        if all(name in table.columns for table in tables)
        and not words_of(name) & (NOT_OUTPUT | REMARKS)
        and not are_ratings([text_of_cell(row.get(name)) for table in tables for row in table.rows])
    ]


def _answer(row: Row, shared: Sequence[str]) -> tuple[str, ...]:
    return tuple(text_of_cell(row.get(name)) for name in shared)
