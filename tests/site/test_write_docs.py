"""`manage.py write_docs` writes what documents say of the code, and `--check` says when they are stale."""

import shutil
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.processes import ROOT

WRITTEN = ("configuration.md", "routes.md", "troubleshooting.md", "evaluators.md")


@pytest.fixture
def folder(tmp_path):
    for name in WRITTEN:
        shutil.copy(ROOT / "docs" / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("configuration.md", "| `PORT` |"),
        ("routes.md", "| `GET /api/v1/runs/{id}/` |"),
        ("troubleshooting.md", "| `unknown_kind` |"),
    ],
)
def test_a_row_that_was_lost_is_noticed_and_written_again(folder, name, row):
    page = (folder / name).read_text()
    (folder / name).write_text("\n".join(line for line in page.split("\n") if not line.startswith(row)))

    with pytest.raises(CommandError, match=name):
        call_command("write_docs", folder, check=True)
    call_command("write_docs", folder, stdout=StringIO())

    assert row in (folder / name).read_text()
    call_command("write_docs", folder, check=True)


def test_a_document_without_its_table_is_refused(folder):
    (folder / "routes.md").write_text("# Every route of the API\n")

    with pytest.raises(CommandError, match="No table begins with"):
        call_command("write_docs", folder)
