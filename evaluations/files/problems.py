"""Problems of a file as data: fatal errors, refused rows, warnings."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from .codes import FOUND, HINTS
from .text import clean

# "line" (of the file, from 1), "first_line" (where what ends there began), "row" (of data, from 1), "column", "byte"
Where = dict[str, Any]
QUOTE_LENGTH = 80
FIRST_LINES = 10


class FileError(Exception):
    """The file cannot be read further. `code` is a key of `codes.FILE_ERRORS`, `hint` its remedy.

    `choices` are the option of a format that decides, and its possible values.
    """

    def __init__(
        self,
        code: str,
        message: str,
        where: Where | None = None,
        hint: str | None = None,
        choices: tuple[str, tuple[str, ...]] | None = None,
    ):
        super().__init__(message)
        self.code, self.message, self.where, self.hint = code, message, where or {}, hint or HINTS[code]
        self.choices = choices

    def __reduce__(self) -> tuple[type["FileError"], tuple[Any, ...]]:
        """Pickle all fields; an exception alone would keep only its message."""
        return type(self), (self.code, self.message, self.where, self.hint, self.choices)

    def as_dict(self) -> dict[str, Any]:
        return {"code": self.code, "message": self.message, "hint": self.hint, "where": self.where}


@dataclass(frozen=True)
class RowError:
    """A refused row; `quote` is the text at fault, cut to 80 characters."""

    code: str
    message: str
    hint: str
    where: Where
    quote: str = ""
    expected: str = ""

    @property
    def hides_rows(self) -> bool:
        """Whether it may be several rows, which a quote that is not closed made one: they cannot be counted."""
        return "first_line" in self.where

    def as_dict(self) -> dict[str, Any]:
        """The error as JSON of the API, in which the quote is called `found`."""
        fields = asdict(self)
        return fields | {"found": fields.pop("quote")}


@dataclass(frozen=True)
class RefusedRow:
    """The contents of a refused row as texts: the cells of CSV, else the row as written in the file."""

    line: int
    code: str
    message: str
    cells: tuple[str, ...]
    names: tuple[str, ...] = ()  # of the cells, if they are not the columns of the file


@dataclass(frozen=True)
class FileWarning:
    """Something suspicious in accepted rows, with the number of times and the first ten lines.

    `left_out` are the paths of parts of the file that are not read.
    """

    code: str
    message: str
    hint: str
    count: int = 1
    first_lines: tuple[int, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def is_news(self) -> bool:
        """Whether it only says how the file was understood."""
        return self.code in FOUND

    def as_dict(self) -> dict[str, Any]:
        """The warning as JSON; `left_out` only if something is."""
        fields = asdict(self) | {"first_lines": list(self.first_lines), "left_out": list(self.left_out)}
        return fields if self.left_out else {name: fields[name] for name in fields if name != "left_out"}


@dataclass
class Problems:
    """Collects columns (in order of appearance), errors and warnings while a file is read."""

    errors_kept: int = 100
    refused_kept: int = 1_000
    refused_characters: int = 4_000_000
    rows: int = 0  # rows so far, refused ones included
    blank_lines: int = 0
    characters: int = 0  # characters so far, unpacked, approximately
    bytes_read: int | None = None  # set by readers that do not read in file order
    columns: list[str] = field(default_factory=list)
    errors: list[RowError] = field(default_factory=list)
    refused: list[RefusedRow] = field(default_factory=list)
    error_counts: Counter[str] = field(default_factory=Counter)
    _warnings: dict[tuple[str, str], tuple[int, list[int]]] = field(default_factory=dict)

    def error(
        self,
        code: str,
        message: str,
        where: Where,
        quote: str = "",
        expected: str = "",
        hint: str | None = None,
        cells: Sequence[str] = (),
    ) -> None:
        self.error_counts[code] += 1
        self.refuse(where.get("line") or where.get("row") or 0, code, message, cells)
        if len(self.errors) < self.errors_kept:
            quote = quote if len(quote) <= QUOTE_LENGTH else quote[: QUOTE_LENGTH - 1] + "…"
            self.errors.append(RowError(code, message, hint or HINTS[code], where, quote, expected))

    def refuse(self, line: int, code: str, message: str, cells: Sequence[str]) -> None:
        """Keep a refused row for download, as far as the limits allow."""
        self.refused_characters -= len(message) + len(cells) + sum(map(len, cells))
        if len(self.refused) < self.refused_kept and self.refused_characters >= 0:
            self.refused.append(RefusedRow(line, code, message, tuple(map(clean, cells))))

    def warn(self, code: str, message: str, *lines: int, count: int = 1) -> None:
        """Warn once for equal warnings, with their number and first lines."""
        earlier, first = self._warnings.get((code, message), (0, []))
        new = [line for line in lines if line not in first]
        self._warnings[code, message] = (earlier + count, (first + new)[:FIRST_LINES])

    @property
    def warnings(self) -> list[FileWarning]:
        return [
            FileWarning(code, message, HINTS[code], count, tuple(lines))
            for (code, message), (count, lines) in self._warnings.items()
        ]
