"""Reads a binary file into rows, row errors and warnings. Uses no database.

fmt = ingest.sniff(file, "answers.csv")          # raises FileError
reader = ingest.open_rows(file, fmt, ingest.Limits())
for batch in reader:                             # raises FileError
    batch.lines, batch.rows, batch.column(name)  # about 1 000 rows
reader.columns, reader.errors, reader.error_count, reader.error_counts, reader.warnings
"""

from evaluations.files.formats import BINARY, DELIMITERS, Format, Limits
from evaluations.files.problems import FileError, FileWarning, RefusedRow, RowError
from evaluations.files.text import clean, clean_json

from .batch import Batch, Objects, Row, Table
from .column_names import in_use
from .encoding import PROPOSED as ENCODINGS
from .long_format import LongFormat, first_columns, tells_apart, varying
from .long_format import detect as detect_long
from .looked_at import Guess
from .preview import Preview, preview
from .reader import Reader, open_rows
from .record import JSON
from .sniff import sniff
from .suggest import output_paths

__all__ = [
    "BINARY",
    "DELIMITERS",
    "ENCODINGS",
    "JSON",
    "Batch",
    "FileError",
    "FileWarning",
    "Format",
    "Guess",
    "Limits",
    "LongFormat",
    "Objects",
    "Preview",
    "Reader",
    "RefusedRow",
    "Row",
    "RowError",
    "Table",
    "clean",
    "clean_json",
    "detect_long",
    "first_columns",
    "in_use",
    "open_rows",
    "output_paths",
    "preview",
    "sniff",
    "tells_apart",
    "varying",
]
