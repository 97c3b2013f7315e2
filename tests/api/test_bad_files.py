"""Bad files through the whole system: the collection of ../shared, and more files of the same kinds.

A refused file leaves no row in any table and no file in the storage.
"""

import gzip
import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest

from evaluations.models import Example, Experiment, Import, Output, RefusedRow, Run, Upload
from tests.ingest.test_bad_inputs import ENTRIES, FOLDER, SECOND_CHOICE

from .conftest import Program, import_all
from .test_bodies import error

ROWS = (Example, Experiment, Import, Output, RefusedRow, Run, Upload)


def stored_state(folder: Path) -> tuple[dict[str, int], list[str]]:
    """How many rows each table has, and the names of all files."""
    return {model.__name__: model.objects.count() for model in ROWS}, [
        path.name for path in folder.rglob("*")
    ]


class Submission:
    """An uploaded file and its outcome: the imported rows, or the reason of the refusal."""

    def __init__(self, writer: Program, content: bytes, name: str, folder: Path, **fields: Any):
        before = stored_state(folder)
        response = writer.upload("datasets/", content, name, name="The file", **fields)
        assert response.status_code in (202, 400, 413), response.content
        self.code = self.message = self.hint = ""
        self.where: dict[str, Any] = {}
        self.rows, self.dataset = 0, {}
        if response.status_code != 202:
            self._note_refusal(error(response))
        else:
            import_all()
            self.dataset = writer.get(f"datasets/{response.json()['id']}/").json()
            self.rows = self.dataset["example_count"]
            if self.dataset["status"] == "failed":
                self._note_refusal(self.dataset["errors"][0])
        if self.code:
            # Only a file whose import failed is kept, for another try, with its refused rows, to be mended.
            counts, files = stored_state(folder)
            has_failed = self.dataset.get("status") == "failed"
            if has_failed:
                counts["RefusedRow"] = 0
            assert counts == before[0]
            assert len(files) == len(before[1]) + has_failed
        self.warnings = {warning["code"]: warning for warning in self.dataset.get("warnings", ())}

    def _note_refusal(self, refusal: dict[str, Any]) -> None:
        self.code, self.message, self.where = refusal["code"], refusal["message"], refusal.get("where", {})
        self.hint = refusal.get("hint", "")


@pytest.fixture
def send(writer, settings, tmp_path):
    """Send a file to a site with an otherwise empty storage."""
    settings.MEDIA_ROOT = settings.FILE_UPLOAD_TEMP_DIR = tmp_path
    return lambda content, name="rows.csv", **fields: Submission(writer, content, name, tmp_path, **fields)


@pytest.mark.long
@pytest.mark.skipif(not ENTRIES, reason="the collection ../shared/bad_inputs is not here")
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["file"])
def test_a_file_of_the_collection_has_the_outcome_that_was_agreed(send, entry):
    agreement = entry["expect"]
    if second := SECOND_CHOICE.get(entry["file"]):
        agreement = next(choice for choice in entry["also_ok"] if choice["outcome"] == second)

    submission = send((FOLDER / entry["file"]).read_bytes(), entry["upload_as"])

    if agreement["outcome"] == "reject-with-message":
        assert submission.code
        assert any(
            re.search(pattern, submission.message, re.IGNORECASE) for pattern in agreement["message_any"]
        )
        assert agreement["line"] in (None, submission.where.get("line"))
    else:
        assert (submission.code, submission.rows) == ("", agreement["rows"])


# ---- more files of the same kinds ----------------------------------------------------------------------------

HEADER = b"question,answer\n"
ROW = HEADER + b"a,b\n"


def zipped(content: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("rows.csv", content)
    return file.getvalue()


def jsonl(line: str) -> tuple[str, bytes]:
    return "rows.jsonl", line.encode() + b"\n"


REFUSED = {
    "only a byte order mark": ("a.csv", b"\xef\xbb\xbf", "empty_file"),
    "only blanks": ("a.csv", b"   \t  ", "empty_file"),
    "only line ends": ("a.csv", b"\n\n\r\n", "empty_file"),
    "a header, compressed": ("a.csv.gz", gzip.compress(HEADER), "no_rows"),
    "a quote open at the end": ("a.csv", HEADER + b'a,"b', "csv_unclosed_quote"),
    "nothing but a quote": ("a.csv", HEADER + b'"', "csv_unclosed_quote"),
    "an end mark of DOS": ("a.csv", ROW + b"\x1a", "csv_field_count"),
    "two columns of one letter": ("a.csv", b"a,a\n1,2\n", "duplicate_column"),
    "two columns but for blanks": ("a.csv", b"name, name \n1,2\n", "duplicate_column"),
    "a hundred thousand columns": ("a.csv", b"a," * 100_000 + b"b\n1\n", "columns_limit"),
    "as many keys": ("a.jsonl", json.dumps(dict.fromkeys(map(str, range(10_000)))).encode(), "columns_limit"),
    "a cell of 2 MB": ("a.csv", HEADER + b'"' + b"x" * 2_000_000 + b'",b\n', "cell_too_large"),
    "a line of 17 MB": ("a.jsonl", b'{"a":"' + b"x" * 17_000_000 + b'"}', "row_too_large"),
    "nothing, compressed": ("a.csv.gz", gzip.compress(b""), "empty_file"),
    "compressed twice": ("a.csv.gz", gzip.compress(gzip.compress(ROW)), "compressed_file"),
    "compressed and cut": ("a.csv.gz", gzip.compress(ROW + b"c,d\n" * 9_000)[:-20], "gzip_damaged"),
    "a wrong checksum": ("a.csv.gz", gzip.compress(ROW)[:-8] + b"\0" * 8, "gzip_damaged"),
    "more behind the end": ("a.csv.gz", gzip.compress(ROW) + b"garbage", "gzip_damaged"),
    "a ZIP archive of nothing": ("a.zip", zipped(b""), "empty_file"),
    "a ZIP archive in another": ("a.zip", zipped(zipped(ROW)), "compressed_file"),
    "a tar archive": ("a.csv", b"a.csv".ljust(257, b"\0") + b"ustar\0" + b"\0" * 400, "compressed_file"),
    "a program": ("a.csv", b"\x7fELF" + b"\0" * 60, "wrong_type"),
    "a database": ("a.csv", b"SQLite format 3\0" + b"\0" * 90, "wrong_type"),
    "a page": ("a.csv", b"<!DOCTYPE html><html><body>Sign in</body></html>", "wrong_type"),
    "rich text": ("a.csv", b"{\\rtf1\\ansi hello}", "wrong_type"),
    "a number": ("a.json", b"42", "json_not_an_array"),
    "null": ("a.json", b"null", "json_not_an_array"),
    "lists in a list": ("a.json", b'[["question"],["a"]]', "json_not_an_object"),
    "a list that is not closed": ("a.json", b'[{"a":1},{"a":2}', "json_unfinished"),
    "a list that is closed twice": ("a.json", b'[{"a":1}]]', "json_after_end"),
    "a list of 100 000 lists": ("a.json", b"[" * 100_000, "json_unfinished"),
    "an object over lines": ("a.jsonl", b'{\n"a": 1\n}\n', "json_unclosed"),
    "Python": (*jsonl("{'question': 'a'}"), "json_single_quotes"),
    "65 bits": (*jsonl('{"n": 18446744073709551616}'), "json_number"),
    "64 bits below zero": (*jsonl('{"n": -9223372036854775809}'), "json_number"),
    "5 000 digits": (*jsonl(f'{{"n": {"9" * 5_000}}}'), "json_number"),
    "an infinite number": (*jsonl('{"n": 1e999}'), "json_number"),
    "65 levels": (*jsonl('{"a":' + "[" * 65 + "]" * 65 + "}"), "json_too_deep"),
    "50 000 objects in each other": (*jsonl('{"a":' * 50_000 + "1" + "}" * 50_000), "json_too_deep"),
    "one key twice, far in": (*jsonl('{"a": {"b": 1, "b": 2}}'), "json_duplicate_key"),
    "two keys that look the same": (*jsonl('{"é": 1, "e\u0301": 2}'), "duplicate_column"),
    "a control character": (*jsonl('{"a": "x\x01y"}'), "json_invalid"),
    "a footer that lies": (
        "a.parquet",
        b"PAR1" + b"\xff" * 99 + b"\xff\xff\xff\x7fPAR1",
        "parquet_unreadable",
    ),
    "nothing but the marks": ("a.parquet", b"PAR1PAR1", "parquet_unreadable"),
    "an encrypted Parquet": ("a.parquet", b"PARE" + b"x" * 50 + b"PARE", "wrong_type"),
}
ACCEPTED = {
    "UTF-16 without a mark": ("a.csv", ROW.decode().encode("utf-16-be"), 1, ("encoding_guessed",)),
    "UTF-32": ("a.csv", ROW.decode().encode("utf-32"), 1, ()),
    "two byte order marks": ("a.csv", b"\xef\xbb\xbf" * 2 + ROW, 1, ()),
    "all line ends": ("a.csv", b"question,answer\r\na,b\rc,d\ne,f", 3, ()),
    "line ends of Unicode in cells": ("a.csv", HEADER + "a\x85b,c\u2028d\u2029\n".encode(), 1, ()),
    "directions of text": ("a.csv", "que\u202estion,answer\n\u2066a\u2069,\u200fb\n".encode(), 1, ()),
    "a NUL": ("a.csv", HEADER + b"a\0b,c\n", 1, ("text_replaced",)),
    "nothing but delimiters": ("a.csv", b",,\n,,\n", 1, ("blank_header", "columns_not_recognised")),
    "two compressed parts": ("a.csv.gz", gzip.compress(ROW) + gzip.compress(b"c,d\n"), 2, ()),
    "64 bits": (*jsonl('{"n": 18446744073709551615}'), 1, ("columns_not_recognised",)),
    "half a pair as a key": (*jsonl('{"\\ud800": 1, "question": "x"}'), 1, ("text_replaced",)),
    "markup for a name": ("<img src=x>.csv", ROW, 1, ()),
    "no name to speak of": ("...", ROW, 1, ()),
    "a name of 300 characters": ("x" * 300 + ".csv", ROW, 1, ()),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_bad_file_is_refused_in_words_and_leaves_nothing(send, name):
    filename, content, code = REFUSED[name]

    submission = send(content, filename)

    assert submission.code == code
    assert submission.message
    assert submission.hint


@pytest.mark.parametrize("name", ACCEPTED)
def test_an_odd_file_is_read_with_warnings(send, name):
    filename, content, rows, warnings = ACCEPTED[name]

    submission = send(content, filename)

    assert (submission.code, submission.rows, tuple(submission.warnings)) == ("", rows, warnings)


def test_the_error_of_an_integer_of_more_than_64_bits_says_what_to_do(send):
    submission = send(b'{"n": 18446744073709551616}\n', "a.jsonl")

    assert submission.where == {"line": 1}
    assert "quotes" in submission.hint


@pytest.mark.slow
def test_a_file_that_unpacks_to_gigabytes_is_stopped(send):
    bomb = io.BytesIO()
    with gzip.GzipFile(fileobj=bomb, mode="wb") as file:
        file.write(HEADER)
        for _ in range(2_300):
            file.write((b"a," + b"b" * 9_997 + b"\n") * 100)

    assert send(bomb.getvalue(), "rows.csv.gz").code == "bytes_limit"
