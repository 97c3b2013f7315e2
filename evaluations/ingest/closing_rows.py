"""Leaves out rows below a table that sum it up: "Average", numbers, and none of the texts that examples have."""

from collections import Counter
from collections.abc import Iterator, Sequence

from evaluations.files.problems import FileError, Problems
from evaluations.linear import Pattern

from .batch import Batch, Objects, Row, Table
from .likely import measure_of

LOOKED = 4  # rows at the end
COMPARED = 200  # rows above them
COMMON = 0.5  # share of the other rows with text in a column, from which one without it is none of them
MANY = 10  # other rows from which one that has as many cells is no line of a bill
NEAR = 0.006  # of a mean that is rounded
WORDS = Pattern(
    r"(?i)(?:(?:grand|overall|column|running|sub|spalten)[- ]?)?"
    r"(?:total|totals|subtotal|sum|sums|average|averages|avg|mean|median|overall|std|stdev|count"
    r"|summe|gesamt|durchschnitt|mittelwert|mittel|schnitt|anzahl|somme|moyenne|suma|media|promedio|totale|totaal"
    r"|gemiddelde|média|soma|合計|平均|合计|总计|总分|Σ|Ø)"
    r"(?:[ .:(=].{0,40})?"
)


def without(batches: Iterator[Batch], problems: Problems) -> Iterator[Batch]:
    """The batches, the last of them without rows that sum up what is above; these are told.

    The last rows of each wait for the next, also where that cannot be read.
    """
    above: Batch | None = None
    held: Batch | None = None
    try:
        for batch in batches:
            if not batch.lines:
                yield batch
                continue
            batch = _joined(held, batch) if held else batch
            held = None
            first, held = _parts(batch, max(len(batch.lines) - LOOKED, 0))
            if first.lines:
                above = first
                yield first
    except FileError:
        if held:
            yield held
        raise
    if held:
        yield cut(held, problems, above.rows[-COMPARED:] if above else ())


def _parts(batch: Batch, at: int) -> tuple[Batch, Batch]:
    lines = batch.lines[:at], batch.lines[at:]
    if isinstance(batch, Objects):
        return Objects(lines[0], batch.rows[:at]), Objects(lines[1], batch.rows[at:])
    columns = batch.columns.items()
    first, last = {name: cells[:at] for name, cells in columns}, {name: cells[at:] for name, cells in columns}
    return Table(lines[0], first), Table(lines[1], last)


def _joined(held: Batch, batch: Batch) -> Batch:
    lines = [*held.lines, *batch.lines]
    if isinstance(batch, Objects):
        return Objects(lines, [*held.rows, *batch.rows])
    return Table(lines, {name: [*held.column(name), *cells] for name, cells in batch.columns.items()})


def cut(batch: Batch, problems: Problems, above: Sequence[Row] = ()) -> Batch:
    """The last batch of a table, below the rows `above`, without rows that sum it up, which are told."""
    rows = batch.rows
    count = min(closing([*above, *rows]), len(rows))
    if not count:
        return batch
    left = len(rows) - count
    said = ", ".join(f"“{text[:40]}”" for row in rows[left:] for text in _texts(row))
    told = f"Rows below the table that sum it up were left out: {said}."
    problems.warn("closing_rows", told, *batch.lines[left:])
    problems.rows -= count
    return Objects(batch.lines[:left], rows[:left])


def closing(rows: Sequence[Row]) -> int:
    """How many of the last rows sum up the others: one text, a word for it, where the others have more, or their mean.

    >>> table = [{"id": str(n), "question": "Why?", "score": str(n % 3)} for n in range(9)]
    >>> closing([*table, {"id": "Average", "question": None, "score": "1.0"}])
    1
    >>> closing([*table, {"id": "Total", "question": "Why?", "score": "1"}])
    0
    >>> closing([{"field": "Net", "read": "5"}, {"field": "Tax", "read": "2"}, {"field": "Total", "read": "8"}])
    0
    >>> judged = [{"question": f"Why {n}?", "bot": "○×"[n % 3 // 2]} for n in range(12)]
    >>> closing([*judged, {"question": "○の件数", "bot": 8}]), closing([*judged, {"question": "○の件数", "bot": 5}])
    (1, 0)
    """
    count = 0
    while count < min(LOOKED, len(rows) - 1) and len(_texts(rows[-1 - count])) <= 1:
        count += 1
    while count and not (_is_named(rows[-count]) or _counts_texts(rows[-count], rows[:-count])):
        count -= 1
    above = rows[: len(rows) - count]
    if count and all(cell in (None, "") for cell in above[-1].values()):  # what parts them from the table
        count, above = count + 1, above[:-1]
    return (
        count if above and all(_sums_up(row, above) for row in rows[len(above) :] if any(row.values())) else 0
    )


def _texts(row: Row) -> list[str]:
    """The cells with letters: “3 / 50 / 10” is a sum, too."""
    said = (str(cell).strip() for cell in row.values() if cell not in (None, "") and measure_of(cell) is None)
    return [text for text in said if any(map(str.isalpha, text))]


def _is_named(row: Row) -> bool:
    """Whether the only text of a row is a word for a sum."""
    texts = _texts(row)
    return len(texts) == 1 and WORDS.fullmatch(texts[0]) is not None


def _counts_texts(row: Row, above: Sequence[Row]) -> bool:
    """Whether all numbers of a row, under texts alone, are how often one of these stands there, or its share."""
    numbers = {name: number for name, cell in row.items() if (number := measure_of(cell)) is not None}
    return bool(numbers) and all(_is_count(number, above, name) for name, number in numbers.items())


def _is_count(number: float, above: Sequence[Row], name: str) -> bool:
    cells = [cell for row in above if (cell := row.get(name)) not in (None, "")]
    counts = Counter(map(str, cells))
    if (
        len(cells) < MANY
        or len(counts) * 2 > len(cells)
        or any(measure_of(cell) is not None for cell in cells)
    ):
        return False
    return any(number == count or abs(number - count / len(cells)) <= NEAR / 10 for count in counts.values())


def _sums_up(row: Row, above: Sequence[Row]) -> bool:
    empty = [name for name in above[0] if row.get(name) in (None, "")]
    if any(_share_of_texts(above, name) >= COMMON for name in empty):
        return True
    if _counts_texts(row, above):
        return True
    numbers = {name: number for name, cell in row.items() if (number := measure_of(cell)) is not None}
    return (
        len(above) >= MANY
        and bool(numbers)
        and all(_is_of(number, above, name) for name, number in numbers.items())
    )


def _share_of_texts(rows: Sequence[Row], name: str) -> float:
    cells = [row.get(name) for row in rows]
    return sum(cell not in (None, "") and measure_of(cell) is None for cell in cells) / len(rows)


def _is_of(number: float, above: Sequence[Row], name: str) -> bool:
    """Whether a number is the sum or the mean of those above it."""
    numbers = [found for row in above if (found := measure_of(row.get(name))) is not None]
    total = sum(numbers)
    return bool(numbers) and any(
        abs(number - of) <= NEAR * max(1.0, abs(of)) for of in (total, total / len(numbers))
    )
