"""The collection of bad files in ../shared, with the agreed outcome for each."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from evaluations import ingest

from .samples import ReadFile, read_bytes

FOLDER = Path(__file__).parents[3] / "shared" / "bad_inputs"
MANIFEST = FOLDER / "manifest.json"
pytestmark = pytest.mark.skipif(
    not MANIFEST.exists(), reason="the collection ../shared/bad_inputs is not here"
)
ENTRIES = json.loads(MANIFEST.read_text())["entries"] if MANIFEST.exists() else []
# The second of two agreed choices was taken here on purpose: content decides instead of the name, 64 levels are
# enough, and a page can show a guessed encoding, which the user can change.
SECOND_CHOICE = {
    "csv_named.parquet": "accept-with-n-rows",
    "csv_utf16le_no_bom.csv": "accept-with-warnings",
    "gzip_named.csv": "accept-with-n-rows",
    "jsonl_named.csv": "accept-with-n-rows",
    "parquet_named.csv": "accept-with-n-rows",
    "jsonl_nest_300.jsonl": "reject-with-message",
}


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["file"])
def test_the_outcome_is_the_one_agreed(entry):
    agreement = entry["expect"]
    if second := SECOND_CHOICE.get(entry["file"]):
        agreement = next(choice for choice in entry["also_ok"] if choice["outcome"] == second)
    content = (FOLDER / entry["file"]).read_bytes()

    if agreement["outcome"] == "reject-with-message":
        check_refused(content, entry["upload_as"], agreement)
    else:
        check_accepted(read_bytes(content, entry["upload_as"]), agreement)


def check_refused(content: bytes, name: str, agreement: dict[str, Any]) -> None:
    try:
        reader = read_bytes(content, name).reader
    except ingest.FileError as error:
        message, location = error.message, error.where
    else:
        assert reader.errors
        message, location = reader.errors[0].message, reader.errors[0].where
    assert any(re.search(pattern, message, re.IGNORECASE) for pattern in agreement["message_any"])
    assert agreement["line"] in (None, location.get("line"))


def check_accepted(file: ReadFile, agreement: dict[str, Any]) -> None:
    warnings = " ".join(f"{warning.code} {warning.message}" for warning in file.reader.warnings)
    assert file.reader.errors == []
    assert len(file.rows) == agreement["rows"]
    assert agreement["columns"] in (None, file.reader.columns)
    for row, column, cell in agreement["cells"]:
        # The collection writes an empty cell as an empty text; here it is null.
        assert (file.rows[row][column] or "") == cell
    if agreement["outcome"] == "accept-with-warnings":
        assert any(re.search(pattern, warnings, re.IGNORECASE) for pattern in agreement["warnings_any"])
    else:
        assert warnings == ""
