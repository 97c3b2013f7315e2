"""The wheel of the site: complete, and running outside the checkout."""

import importlib.util
import os
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.processes import ROOT, Process, score_a_run

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("hatchling") is None,
    reason="hatchling builds the wheel and is not installed",
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        "--wheel-dir",
        str(folder),
    ]
    subprocess.run([sys.executable, "-m", "pip", *command, str(ROOT)], check=True, timeout=120)
    return next(folder.glob("evalsite-*.whl"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """The unpacked wheel, as pip installs it."""
    folder = tmp_path_factory.mktemp("installed")
    zipfile.ZipFile(wheel).extractall(folder)
    return folder


def run(installed: Path, cwd: Path, *command: str) -> subprocess.CompletedProcess:
    """Run Python in another folder than the checkout, with the installed package first."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("EVALSITE_")}
    env = clean | {"PYTHONPATH": str(installed), "DJANGO_SETTINGS_MODULE": "evalsite.settings"}
    return subprocess.run(
        [sys.executable, *command], cwd=cwd, env=env, capture_output=True, text=True, timeout=180
    )


def files(folder: str) -> set[str]:
    return {
        path.relative_to(ROOT / folder).as_posix() for path in (ROOT / folder).rglob("*") if path.is_file()
    }


@pytest.mark.parametrize(("folder", "inside"), [("templates", "_templates"), ("static", "_static")])
def test_the_wheel_carries_every_template_and_static_file(wheel, folder, inside):
    names = set(zipfile.ZipFile(wheel).namelist())

    assert {f"evalsite/{inside}/{name}" for name in files(folder)} <= names


def test_the_wheel_carries_no_tests_and_no_data(wheel):
    tops = {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()}

    assert {top for top in tops if not top.endswith(".dist-info")} == {"evalsite", "evaluations"}


@pytest.mark.long
def test_an_installed_evalsite_finds_its_templates_and_static_files(installed, tmp_path):
    script = (
        "import django; django.setup()\n"
        "from django.contrib.staticfiles import finders\n"
        "from django.template.loader import get_template\n"
        f"print(get_template({sorted(files('templates'))[0]!r}).origin.name)\n"
        f"print(finders.find({sorted(files('static'))[0]!r}))\n"
    )
    result = run(installed, tmp_path, "-c", script)

    template, static = result.stdout.split()
    assert Path(template).is_relative_to(installed / "evalsite" / "_templates"), result.stderr
    assert Path(static).is_relative_to(installed / "evalsite" / "_static")


@pytest.mark.long
def test_an_installed_evalsite_keeps_its_data_where_it_is_run(installed, tmp_path):
    result = run(installed, tmp_path, "-m", "evalsite", "migrate", "--verbosity", "0")

    assert result.returncode == 0, result.stderr
    assert (tmp_path / "var" / "evalsite.sqlite3").exists()


@pytest.mark.slow
def test_in_an_empty_environment_pip_install_and_up_score_a_run(wheel, tmp_path, unused_port):
    """As a stranger does it: no checkout, no locks, no settings, only pip and the wheel."""
    folder = tmp_path / "somewhere"
    folder.mkdir()
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "env")], check=True, timeout=120)
    programs = tmp_path / "env" / "bin"
    subprocess.run([str(programs / "pip"), "install", "--quiet", str(wheel)], check=True, timeout=600)
    server = Process(
        [str(programs / "evalsite-server"), "up"],
        tmp_path / "up.log",
        cwd=folder,
        without=("DATABASE_URL", "EVALSITE_DATA", "PYTHONPATH", "DJANGO_SETTINGS_MODULE"),
        PORT=str(unused_port),
    )
    try:
        server.wait_for("Ready: ", seconds=120)
        made = subprocess.run(
            [
                str(programs / "evalsite-server"),
                "apikey",
                "create",
                "--project",
                "default",
                "--scope",
                "write",
            ],
            cwd=folder,
            env={"PATH": os.environ["PATH"]},
            check=True,
            capture_output=True,
            text=True,
            timeout=180,
        )
        run = score_a_run(f"http://127.0.0.1:{unused_port}", made.stdout.split()[-1], tmp_path)
    finally:
        server.send(signal.SIGINT)
        server.wait()

    assert (run["status"], run["scorings"][0]["mean"]) == ("completed", 0.5)
    assert (folder / "var" / "evalsite.sqlite3").exists()
