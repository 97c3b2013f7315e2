"""What is inside can be listed and pinned: license, list of packages, digests of images."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.processes import ROOT


@pytest.mark.parametrize("folder", [".", "client"])
def test_the_license_that_is_declared_is_there(folder):
    declared = tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"]

    assert declared["license"] == "Apache-2.0"
    assert declared["license-files"] == ["LICENSE"]
    text = (ROOT / folder / "LICENSE").read_text()
    assert "Apache License" in text
    assert "Version 2.0, January 2004" in text


@pytest.mark.long
def test_the_list_of_packages_is_cyclonedx_and_has_every_locked_one(tmp_path):
    recipe = (ROOT / "Makefile").read_text().partition("\nsbom:")[2].split("\n")[1]
    command = recipe.strip().replace("$(BIN)", str(Path(sys.executable).parent))
    command = command.replace("sbom.json", str(tmp_path / "sbom.json"))

    subprocess.run(command, shell=True, check=True, cwd=ROOT, timeout=120, capture_output=True)

    listed = json.loads((tmp_path / "sbom.json").read_text())
    locked = re.findall(
        r"^([\w.-]+)(?:\[[\w,-]+\])?==([\w.]+)", (ROOT / "requirements/base.txt").read_text(), re.M
    )
    assert listed["bomFormat"] == "CycloneDX"
    assert listed["metadata"]["component"]["name"] == "evalsite"
    found = {(part["name"].lower(), part["version"]) for part in listed["components"]}
    assert found == {(name.lower(), version) for name, version in locked}
    assert all(part["purl"].startswith("pkg:pypi/") for part in listed["components"])


def pinned(name: str) -> dict[tuple[str, str], str]:
    """The locked versions, by package and how its marker compares the version of Python."""
    found = re.findall(
        r"^([\w.-]+)(?:\[[\w,-]+\])?==([\w.]+)(.*)", (ROOT / "requirements" / name).read_text(), re.M
    )
    return {
        (package, "".join(re.findall(r"python_full_version (\S+)", marker))): version
        for package, version, marker in found
    }


@pytest.mark.parametrize("other", ["oidc.txt", "dev.txt"])
def test_tests_and_every_way_to_install_have_the_same_version_of_a_package(other):
    base, found = pinned("base.txt"), pinned(other)

    common = base.keys() & found.keys()
    assert len(common) > len(base) // 2
    assert {one: found[one] for one in common} == {one: base[one] for one in common}


DOCKER = """#!/bin/sh
[ "$1 $2 $3" = "buildx imagetools inspect" ] || exit 1
case $4 in *broken*) exit 1;; esac
echo "sha256:$(printf '%s' "$4" | sha256sum | cut -d' ' -f1)"
"""


@pytest.fixture
def pin(tmp_path):
    """Runs the script on a file, with a stand-in for Docker."""
    docker = tmp_path / "bin" / "docker"
    docker.parent.mkdir()
    docker.write_text(DOCKER)
    docker.chmod(0o755)
    environment = os.environ | {"PATH": f"{docker.parent}:{os.environ['PATH']}"}

    def run(file: Path) -> int:
        command = [sys.executable, str(ROOT / "deploy/pin_images.py"), str(file)]
        return subprocess.run(command, env=environment, capture_output=True, timeout=180).returncode

    return run


@pytest.mark.parametrize("name", ["Dockerfile", "docker-compose.yml", "deploy/kubernetes/evalsite.yaml"])
def test_every_image_of_others_gets_its_digest_and_a_new_one_the_next_time(pin, tmp_path, name):
    original = (ROOT / name).read_text()
    file = tmp_path / "file"
    file.write_text(original)

    assert pin(file) == 0

    pinned = file.read_text()
    images = re.findall(r"(?:FROM|image:) +((?!registry.example.com)\S+:\S+)", pinned)
    assert images
    assert all(re.search(r"@sha256:[0-9a-f]{64}$", image) for image in images)
    assert re.sub(r"@sha256:[0-9a-f]{64}", "", pinned) == original
    file.write_text(re.sub(r"@sha256:[0-9a-f]{64}", f"@sha256:{'0' * 64}", pinned))
    assert pin(file) == 0
    assert file.read_text() == pinned


def test_an_image_that_nobody_knows_changes_no_file(pin, tmp_path):
    file = tmp_path / "Dockerfile"
    file.write_text("FROM python:3.12\nFROM broken:1\n")

    assert pin(file) != 0
    assert file.read_text() == "FROM python:3.12\nFROM broken:1\n"
