"""The client as a package: built, installed into an environment of its own, and used."""

import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from evalsite_client import __version__
from tests.client.scripted import Answer
from tests.processes import ROOT

hatchling = pytest.importorskip("hatchling", reason="hatchling builds the wheel and is not installed")


def pip(*arguments: object, python: Path | str = sys.executable) -> None:
    command = [python, "-m", "pip", "--quiet", "--disable-pip-version-check", *map(str, arguments)]
    subprocess.run([str(part) for part in command], check=True, timeout=300)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip("wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", folder, ROOT / "client")
    return next(folder.glob("evalsite_client-*.whl"))


@pytest.fixture(scope="module")
def _reached_index(tmp_path_factory) -> None:
    try:
        pip("download", "--no-deps", "--dest", tmp_path_factory.mktemp("probe"), "click")
    except subprocess.CalledProcessError:
        pytest.skip("pip reaches no index of packages")


@pytest.fixture(scope="module")
def command(_reached_index, wheel, tmp_path_factory) -> Path:
    """The command `evalsite` in an environment that has the wheel and what it asks for."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    pip("install", wheel, python=folder / "bin" / "python")
    return folder / "bin" / "evalsite"


def run(command: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess:
    clean = {"PATH": os.environ["PATH"], "HOME": str(command.parent)}
    return subprocess.run([command, *arguments], env=clean | env, capture_output=True, text=True, timeout=180)


def test_the_wheel_carries_the_package_and_its_types_alone(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())

    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == {"evalsite_client"}
    assert "evalsite_client/py.typed" in names


def test_the_wheel_offers_its_plugin_to_pytest_and_pytest_as_an_extra(wheel):
    archive = zipfile.ZipFile(wheel)
    [entry_points] = [name for name in archive.namelist() if name.endswith("entry_points.txt")]
    [metadata] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]

    assert "[pytest11]\nevalsite = evalsite_client.pytest_plugin" in archive.read(entry_points).decode()
    assert "Requires-Dist: pytest>=8; extra == 'pytest'" in archive.read(metadata).decode()


@pytest.mark.long
def test_an_installed_client_says_its_version(command):
    assert run(command, "--version").stdout == f"evalsite, version {__version__}\n"


def test_an_installed_client_compares_runs(command, scripted):
    answer = {"sentence": "No clear difference.", "entries": [], "warnings": []}
    server = scripted(Answer(answer))

    compared = run(command, "compare", "1", "2", "--json", EVALSITE_URL=server.url, EVALSITE_KEY="evk_x")

    assert (compared.stderr, json.loads(compared.stdout)) == ("", answer)


def test_an_installed_client_needs_nothing_of_the_server(command):
    listed = subprocess.run(
        [command.parent / "python", "-m", "pip", "list", "--format=json", "--disable-pip-version-check"],
        check=True,
        capture_output=True,
        text=True,
        timeout=180,
    )

    assert not {"django", "celery", "evalsite"} & {
        package["name"].lower() for package in json.loads(listed.stdout)
    }
