"""Binary file in; rows, row errors and warnings out. Knows no database.

fmt = ingest.sniff(file, "answers.csv")          # raises FileError
reader = ingest.open_rows(file, fmt, ingest.Limits())
for batch in reader:                             # raises FileError
    batch.numbers, batch.lines, batch.rows       # up to 1 000 rows
reader.columns, reader.errors, reader.error_count, reader.error_counts, reader.warnings
"""

from .findings import FileError, FileWarning, RefusedRow, RowError
from .formats import DELIMITERS, Format, Limits
from .preview import Preview, preview
from .reader import Batch, Reader, open_rows
from .record import JSON
from .sniff import sniff
from .suggest import output_paths, suggest
from .text import clean, clean_json

__all__ = [
    "DELIMITERS",
    "JSON",
    "Batch",
    "FileError",
    "FileWarning",
    "Format",
    "Limits",
    "Preview",
    "Reader",
    "RefusedRow",
    "RowError",
    "clean",
    "clean_json",
    "open_rows",
    "output_paths",
    "preview",
    "sniff",
    "suggest",
]
