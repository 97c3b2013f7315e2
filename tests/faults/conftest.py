"""A site of real processes for all fault tests."""

import os
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from django.conf import settings

from . import undertaking
from .client import Client
from .site import Site

SEED = os.environ.get("FAULTS_SEED", "1")
READY_WITHIN = 30  # seconds


def pytest_report_header() -> str:
    return f"faults: FAULTS_SEED={SEED}"


@dataclass
class Stage:
    """A running site, its client, the ids of two evaluators, and the duration of the work without faults."""

    site: Site
    client: Client
    evaluators: list[int]
    idle: float


def vendor() -> str:
    """The database of this test run."""
    return settings.DATABASES["default"]["ENGINE"].rpartition(".")[2]


@pytest.fixture(scope="session")
def whole_site() -> Iterator[Stage]:
    """One site for all tests, with a control run without faults."""
    site = Site(vendor())
    try:
        client = site.begin()
        evaluators = undertaking.make_evaluators(client)
        began = time.monotonic()
        control = undertaking.undertake(client, "control", evaluators)
        idle = time.monotonic() - began
        undertaking.assert_whole(client, control)
        yield Stage(site, client, evaluators, idle)
    finally:
        site.end()


@pytest.fixture
def stage(whole_site: Stage) -> Stage:
    """The site, repaired after the previous test."""
    whole_site.site.calm()
    return whole_site


@pytest.fixture
def chance(request: pytest.FixtureRequest) -> random.Random:
    """Chooses moments and victims; its seed, a number and the name of the test, is printed on a failure."""
    request.node.add_report_section("setup", "faults", f"FAULTS_SEED={SEED}")
    return random.Random(f"{SEED} {request.node.name}")
