"""Data of earlier commits migrates to the tables of today: every row and value stays, and its scores verify."""

import subprocess
from collections import Counter
from pathlib import Path

import pytest

from tests.new_databases import columns, new_database, rows, run_python
from tests.processes import ROOT

FILL = str(Path(__file__).with_name("fill_old_site.py"))
# Commits, with the last migration that each has.
EARLIER = {
    "d21febdf5573b1291739962831e62fb9309843df": "0004_refused_row",
    "3d100cb8": "0037_output_copy",
    "25af05a6": "0052_labels",
}
# What Django writes about its own tables and permissions; it grows with the tables.
OF_DJANGO = {"django_migrations", "django_content_type", "auth_permission", "sqlite_sequence"}
# Sessions moved to a table of their own, and everybody signed in once more.
DROPPED = {"django_session"}


@pytest.fixture
def checkout(request, tmp_path) -> Path:
    """The files of an earlier commit."""
    archive = subprocess.run(["git", "archive", request.param], cwd=ROOT, capture_output=True)
    if archive.returncode != 0:
        pytest.skip("the history is not there")
    folder = tmp_path / "earlier"
    folder.mkdir()
    subprocess.run(["tar", "--extract", "--directory", str(folder)], input=archive.stdout, check=True)
    return folder


def contents(url: str, tables: dict[str, list[str]]) -> dict[str, Counter]:
    """The rows of these tables, with these columns only."""
    found = {}
    for table, names in tables.items():
        wanted = ", ".join(f'"{name}"' for name in names)
        found[table] = Counter(map(repr, rows(url, f'SELECT {wanted} FROM "{table}"')))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("checkout", "migration"), EARLIER.items(), indirect=["checkout"])
def test_every_row_of_an_earlier_commit_is_kept(checkout, migration, tmp_path):
    with new_database(tmp_path) as there, new_database(tmp_path) as now:
        run_python("manage.py", "migrate", "--verbosity=0", url=now, folder=tmp_path)
        run_python(FILL, url=there, folder=tmp_path, root=checkout)
        applied = rows(there, "SELECT name FROM django_migrations WHERE app = 'evaluations' ORDER BY id")
        assert (migration,) in applied[-2:]  # the squash may be noted behind it
        of_today, tables = columns(now), columns(there)
        stay = {
            table: [name for name in names if name in of_today[table]]
            for table, names in tables.items()
            if table not in OF_DJANGO | DROPPED
        }
        before = contents(there, stay)

        run_python("manage.py", "migrate", "--verbosity=0", url=there, folder=tmp_path)

        assert contents(there, stay) == before
        assert sum(map(len, before.values())) > 250  # the sample, and a row in each table
        [(run,)] = rows(there, "SELECT min(id) FROM evaluations_run")
        assert "Levenshtein" in run_python("manage.py", "verify_run", str(run), url=there, folder=tmp_path)
