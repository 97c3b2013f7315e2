"""Cells of scores and measures that are no numbers: counted before an import loses them, with the first ones."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from evaluations import ingest
from evaluations.kinds.value import is_word
from evaluations.numerals import plural
from evaluations.values import JSON, text_of

from . import measure_columns, score_columns
from .columnmap import ColumnMap

FIRST = 3  # cells that are named
LONGEST = 20  # characters of each


@dataclass
class OddCells:
    """Of one column: how many cells are no numbers, the lines and texts of the first, and how many are numbers."""

    column: str
    is_score: bool
    count: int = 0
    numbers: int = 0
    first: list[tuple[int, str]] = field(default_factory=list)

    def add(self, lines: Iterable[int], cells: Iterable[JSON], odd: Iterable[bool]) -> None:
        for line, cell, is_odd in zip(lines, cells, odd, strict=True):
            if is_odd:
                self.count += 1
                if len(self.first) < FIRST:
                    self.first.append((line, f"{text_of(cell)}".strip()[:LONGEST]))
            elif cell not in (None, ""):
                self.numbers += 1

    @property
    def in_words(self) -> str:
        """Such as "1 cell of “latency” is no number: line 6 “fast”. It is left out."."""
        named = ", ".join(f"line {line} “{text}”" for line, text in self.first)
        more = f" and {self.count - len(self.first)} more" if self.count > len(self.first) else ""
        verb, left_out = ("is no number", "It is") if self.count == 1 else ("are no numbers", "They are")
        unless = " unless you give their words numbers below" if self.is_score else ""
        cells = f"{plural(self.count, 'cell')} of “{self.column[:60]}” {verb}"
        return f"{cells}: {named}{more}. {left_out} left out{unless}."


@dataclass
class Odd:
    """The odd cells of all batches of a file."""

    by_column: dict[tuple[str, bool], OddCells] = field(default_factory=dict)

    def add(self, batch: ingest.Batch, columns: ColumnMap) -> None:
        labelled = {name for name, _ in columns.labels}
        for score in {score.source: score for score in columns.scores if score.name not in labelled}.values():
            cells = score_columns.values(batch, score, columns.decimal)
            self._of(score.source, is_score=True).add(batch.lines, cells, map(is_word, cells))
        for measure in columns.measures:
            written = measure_columns.cells(batch, measure)
            [stored, *_] = measure_columns.numbers(batch, [measure]).values()
            odd = [one is None and cell not in (None, "") for cell, one in zip(written, stored, strict=True)]
            self._of(measure.source, is_score=False).add(batch.lines, written, odd)

    def _of(self, column: str, *, is_score: bool) -> OddCells:
        return self.by_column.setdefault((column, is_score), OddCells(column, is_score))

    @property
    def said(self) -> list[str]:
        """A sentence for each column that has such cells beside numbers: one of words alone has labels."""
        return [
            odd.in_words for odd in self.by_column.values() if odd.count and (odd.numbers or not odd.is_score)
        ]
