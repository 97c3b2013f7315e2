"""The documentation agrees with the code."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from evalsite.environment import env
from evaluations.upkeep import checks

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
ARCHITECTURE = DOCS / "architecture.md"
PROJECT = "from evaluations.models import Project"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]


def anchors(page: Path) -> set[str]:
    """The anchors of headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", PAGES, ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(document):
    for link in re.findall(r"\]\(([^)\s]+)\)", document.read_text()):
        target, _, anchor = link.partition("#")
        target_file = document.parent / target if target else document
        assert "://" in link or target_file.exists(), link
        assert "://" in link or not anchor or anchor in anchors(target_file), link


@pytest.mark.parametrize("document", sorted(DOCS.glob("*.md")), ids=lambda path: path.name)
def test_every_document_is_in_the_index(document):
    assert document.name == "index.md" or f"]({document.name})" in (DOCS / "index.md").read_text()


@pytest.mark.parametrize("document", PAGES, ids=lambda path: path.name)
def test_settings_that_a_document_names_exist(document):
    settings_named = set(re.findall(r"\bEVALSITE_[A-Z_]+\b", document.read_text()))

    settings_read = set(env.scheme) | {f"{name}_FILE" for name in env.scheme} | {"EVALSITE_KEY"}
    assert settings_named <= settings_read


def test_modules_that_the_architecture_names_exist():
    modules_named = set(re.findall(r"`([\w./]+\.py)`", ARCHITECTURE.read_text()))

    folders = (ROOT, ROOT / "evaluations", ROOT / "tests" / "scoring")
    assert modules_named
    assert {
        name for name in modules_named if not any((folder / name).is_file() for folder in folders)
    } == set()


def test_the_architecture_has_every_room_with_its_folders():
    packages = {folder.parent for folder in (ROOT / "evaluations").glob("*/__init__.py")}
    folders = {
        folder.parent
        for room in ("comparisons", "imports", "web")
        for folder in (ROOT / "evaluations" / room).glob("*/__init__.py")
    }
    modules = set((ROOT / "evaluations").glob("[!_]*.py"))

    named = {f"`{path.relative_to(ROOT / 'evaluations')}/`" for path in packages | folders}
    named |= {f"`{module.name}`" for module in modules}
    assert {name for name in named if name not in ARCHITECTURE.read_text()} == set()


def test_every_check_is_in_the_table():
    ids = re.findall(r"evalsite\.[EW]\d{3}", Path(checks.__file__).read_text())

    rows = re.findall(
        r"^\| `(evalsite\.[EW]\d{3})` \|", (DOCS / "troubleshooting.md").read_text(), re.MULTILINE
    )
    assert rows == sorted(set(ids), key=lambda check: check[-3:])


@pytest.mark.processes
def test_the_commands_of_the_backup_restore_a_site(tmp_path):
    commands = re.findall(r"^```bash\n(.*?)^```$", (DOCS / "backup.md").read_text(), re.MULTILINE | re.DOTALL)
    backup, restore = commands
    env = os.environ | {"EVALSITE_DATA": str(tmp_path / "data"), "BACKUPS": str(tmp_path)}
    env |= {"DJANGO_SETTINGS_MODULE": "evalsite.settings", "DATABASE_URL": ""}
    env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"

    def run(commands: str) -> str:
        command = ["bash", "-e", "-c", commands]
        return subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True, text=True).stdout

    def say(project: str) -> str:
        return run(f"python manage.py shell --verbosity 0 -c '{PROJECT}; {project}'")

    run("python manage.py migrate --verbosity 0; python manage.py begin")
    run(backup)
    say('Project.objects.update(name="Changed")')
    run(restore)

    assert say("print(Project.objects.get().name)") == "Default\n"
