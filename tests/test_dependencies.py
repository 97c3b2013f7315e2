"""What the server, the client and their developers need, as declared in the two pyproject.toml."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def requirements(pyproject: Path) -> Iterator[str]:
    content = tomllib.loads(pyproject.read_text())
    yield from content["project"]["dependencies"]
    yield from content["build-system"]["requires"]
    for group in (content["project"].get("optional-dependencies", {}), content.get("dependency-groups", {})):
        for members in group.values():
            yield from members


@pytest.mark.parametrize("folder", [".", "client"])
def test_every_dependency_has_a_lower_bound(folder):
    assert [needed for needed in requirements(ROOT / folder / "pyproject.toml") if ">=" not in needed] == []
