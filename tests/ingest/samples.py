"""One call that reads a file and returns its rows, errors and warnings."""

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluations import ingest

UPLOADS = Path(__file__).parents[1] / "data" / "uploads"


@dataclass
class ReadFile:
    rows: list[dict[str, Any]]
    lines: list[int]
    reader: ingest.Reader


def read_bytes(content: bytes, name: str, limits: ingest.Limits | None = None, **choices: Any) -> ReadFile:
    file = io.BytesIO(content)
    limits = limits or ingest.Limits()
    reader = ingest.open_rows(file, ingest.sniff(file, name, choices, limits=limits), limits)
    batches = list(reader)
    return ReadFile(
        rows=[row for batch in batches for row in batch.rows],
        lines=[line for batch in batches for line in batch.lines],
        reader=reader,
    )


def read(name: str, limits: ingest.Limits | None = None, **choices: Any) -> ReadFile:
    return read_bytes((UPLOADS / name).read_bytes(), name, limits, **choices)
