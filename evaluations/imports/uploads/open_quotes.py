"""Where a quote of a CSV file is opened and not closed: the line as it stands, and whether quotes may be letters."""

from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO, NamedTuple

from evaluations import ingest
from evaluations.errors import Refusal
from evaluations.files.streams import utf8_chunks
from evaluations.ingest.csv_blocks import last_quoted_cell
from evaluations.ingest.escapes import LETTERS
from evaluations.models import Upload

from . import uploads

CODES = {"csv_unclosed_quote", "csv_text_after_quote"}
SHOWN = 90  # characters before and behind the quote
LONGEST = 1_000_000  # characters of a line


class OpenQuote(NamedTuple):
    """The line with the quote that opens its last quoted cell; `may_be_letters` where the file is read better so.

    Then `quoted` cells of the first rows, fewer than half of those with quotes, would keep quotation marks that they do
    not have now.
    """

    line: int
    before: str
    after: str
    may_be_letters: bool
    quoted: int = 0


def find(upload: Upload, error: Refusal | None, preview: ingest.Preview | None) -> OpenQuote | None:
    """The first open quote of a file that cannot be read, or of its refused rows; None without any."""
    lines = [error.where.get("line")] if error and error.code in CODES else []
    if preview:
        lines += [
            one.where.get("first_line", one.where.get("line")) for one in preview.errors if one.code in CODES
        ]
    number = next((line for line in lines if isinstance(line, int)), 0)
    fmt = ingest.Format.from_dict(upload.format)
    if not number or fmt.kind != "csv":
        return None
    with uploads.opened(upload) as file:
        text = next((line for at, line in enumerate(_lines(file, fmt), 1) if at == number), "")
        refused = sum(preview.error_counts.values()) if preview else None
        read = None if fmt.escape else _read_better(file, upload.filename, fmt, refused)
    quoted, others = _quoted(read) if read else (0, 0)
    at = last_quoted_cell(text, fmt.delimiter or ",")
    return OpenQuote(
        number,
        ("…" if at > SHOWN else "") + text[max(at - SHOWN, 0) : at],
        text[at + 1 : at + SHOWN] + ("…" if len(text) - at > SHOWN else ""),
        bool(read) and quoted <= max(others, 1),  # the open one, at least, is no quoted cell
        quoted,
    )


def _lines(file: BinaryIO, fmt: ingest.Format) -> Iterator[str]:
    """The lines of a text, the end of a very long one as another."""
    chunks = utf8_chunks(file, fmt, uploads.LIMITS)
    kept = ""
    for chunk in chunks:
        *lines, kept = (kept + chunk.decode()).split("\n")
        yield from lines
        kept = kept[-LONGEST:]
    yield kept


def _quoted(read: ingest.Preview) -> tuple[int, int]:
    """Of the first rows, where quotes are letters: how many cells are within quotes, and how many others have some."""
    cells = [cell.strip() for row in read.rows for cell in row.values() if isinstance(cell, str)]
    with_quotes = [cell for cell in cells if '"' in cell]
    within = sum(cell[:1] == cell[1:][-1:] == '"' for cell in with_quotes)
    return within, len(with_quotes) - within


def _read_better(
    file: BinaryIO, filename: str, fmt: ingest.Format, refused: int | None
) -> ingest.Preview | None:
    """The file with quotes as letters if fewer of the first rows are refused then, and hardly any; half if none is read
    now; else None."""
    try:
        read = ingest.preview(
            file, filename, limits=uploads.LIMITS, fmt=replace(fmt, escape=LETTERS, warnings=())
        )
    except ingest.FileError:
        return None
    left = sum(read.error_counts.values())
    is_better = (
        left * 2 <= read.rows_read if refused is None else left * 10 <= read.rows_read and left < refused
    )
    return read if is_better else None
