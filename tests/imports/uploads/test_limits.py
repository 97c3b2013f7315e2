"""What a file may have at most is a setting of the site."""

import pytest

from tests.new_databases import run_python

READ = """
import io
import django
django.setup()
from evaluations import ingest
from evaluations.imports.uploads import formats
from evaluations.imports.uploads.uploads import LIMITS

print(LIMITS.rows, LIMITS.file_bytes)
content = io.BytesIO(b"question,answer\\n" + b"a,b\\n" * 4)
try:
    list(ingest.open_rows(content, formats.sniff(content, "rows.csv"), LIMITS))
except ingest.FileError as refused:
    print(refused.code)
"""


@pytest.mark.long
def test_rows_and_bytes_of_a_file_are_limited_by_settings(tmp_path, monkeypatch):
    monkeypatch.setenv("EVALSITE_FILE_ROWS", "3")
    monkeypatch.setenv("EVALSITE_FILE_MB", "7")

    said = run_python("-c", READ, url=f"sqlite:///{tmp_path / 'site.sqlite3'}", folder=tmp_path)

    assert said.split() == ["3", str(7 * 1024 * 1024), "rows_limit"]
