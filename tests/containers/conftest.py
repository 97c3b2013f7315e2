"""The image under test."""

import os
from collections.abc import Iterator

import pytest

from tests.containers.team import Team, build
from tests.processes import ROOT


@pytest.fixture(scope="session")
def image() -> None:
    """The image `evalsite` of this checkout; with EVALSITE_IMAGE_IS_BUILT=1 the one that exists."""
    if not os.environ.get("EVALSITE_IMAGE_IS_BUILT"):
        build(ROOT, "evalsite")


@pytest.fixture
def team(image: None) -> Iterator[Team]:
    team = Team(workers=3)
    try:
        yield team
    finally:
        team.end()
