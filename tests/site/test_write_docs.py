"""`manage.py write_docs` writes what documents say of the code, and `--check` says when they are stale."""

import shutil
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from evalsite.management.commands import write_docs
from tests.processes import ROOT

GENERATED = [ROOT / "docs" / name for name in ("routes.md", "troubleshooting.md", "evaluators.md")]
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


def test_a_figure_that_changed_is_noticed_and_written_wherever_it_is_linked(folder, monkeypatch):
    monkeypatch.setitem(write_docs.FIGURES, "time to undo", ("9 days", "for which it is kept"))
    link = '[{}](configuration.md#fixed-figures "time to undo")'
    (folder / "other.md").write_text(f"for {link.format('7 days')}, or\n{link.format('many days')}.")

    with pytest.raises(CommandError, match=r"other\.md"):
        call_command("write_docs", folder, check=True)
    call_command("write_docs", folder, stdout=StringIO())

    assert (folder / "other.md").read_text() == f"for {link.format('9 days')}, or\n{link.format('9 days')}."
    assert "| time to undo | 9 days |" in (folder / "configuration.md").read_text()


def test_a_figure_that_nobody_knows_is_refused(folder):
    (folder / "other.md").write_text('for [7 days](configuration.md#fixed-figures "time to redo")')

    with pytest.raises(CommandError, match="No fixed figure is called time to redo"):
        call_command("write_docs", folder, check=True)


@pytest.mark.parametrize(
    "file", sorted({*(ROOT / "docs").glob("*.md")} - {*GENERATED}), ids=lambda file: file.name
)
def test_documents_take_the_time_to_undo_from_the_table_of_figures(file):
    figure, _meaning = write_docs.FIGURES["time to undo"]
    free = write_docs.FIGURE.sub("", file.read_text())
    rows = [line for line in free.split("\n") if figure in line]

    assert [line for line in rows if not line.startswith(("| time to undo |", "| invitation |"))] == []
