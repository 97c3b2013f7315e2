"""Binary file in; rows, row errors and warnings out. Knows no database.

fmt = ingest.sniff(file, "answers.csv")          # raises FileError
reader = ingest.open_rows(file, fmt, ingest.Limits())
for batch in reader:                             # raises FileError
    batch.lines, batch.rows, batch.column(name)  # about 1 000 rows
reader.columns, reader.errors, reader.error_count, reader.error_counts, reader.warnings
"""

from .batch import Batch, Row
from .encoding import PROPOSED as ENCODINGS
from .formats import DELIMITERS, Format, Limits
from .preview import Preview, preview
from .problems import FileError, FileWarning, RefusedRow, RowError
from .reader import Reader, open_rows
from .record import JSON
from .sniff import sniff
from .suggest import output_paths, suggest
from .text import clean, clean_json

__all__ = [
    "DELIMITERS",
    "ENCODINGS",
    "JSON",
    "Batch",
    "FileError",
    "FileWarning",
    "Format",
    "Limits",
    "Preview",
    "Reader",
    "RefusedRow",
    "Row",
    "RowError",
    "clean",
    "clean_json",
    "open_rows",
    "output_paths",
    "preview",
    "sniff",
    "suggest",
]
