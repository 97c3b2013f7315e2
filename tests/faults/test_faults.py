"""Faults at random moments while a client uploads, scores and reads, on real processes: nothing is lost, and all ends.

The README in this folder maps each fault to its test. A small selection belongs to the normal tests; `make faults` runs
every fault, alone and combined, at several moments.
"""

import logging
import os
import random
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest

from . import undertaking
from .conftest import READY_WITHIN, Stage, vendor
from .site import DATABASE_FAULTS, FAULTS, Site

pytestmark = pytest.mark.processes
Fault = Callable[[Site, random.Random], None]
MINUTES = float(os.environ.get("FAULTS_MINUTES", "0"))
log = logging.getLogger(__name__)
ON_THIS_DATABASE = (*FAULTS, *(DATABASE_FAULTS if vendor() == "postgresql" else ()))


def survives(stage: Stage, chance: random.Random, faults: Sequence[Fault], name: str) -> int:
    """Let faults happen during an undertaking and check I1 to I4, I8 and I10; returns the id of its run."""
    with ThreadPoolExecutor(1) as program:
        undertaken = program.submit(undertaking.undertake, stage.client, name, stage.evaluators)
        for fault in faults:
            time.sleep(chance.uniform(0, 1.2 * stage.idle / len(faults)))
            fault(stage.site, chance)
        while not undertaken.done():
            # Celery ends if a child dies during its start; the supervisor restarts it.
            stage.site.repair(["worker"])
            time.sleep(0.2)
        run = undertaken.result()
    assert_ready(stage)
    undertaking.assert_whole(stage.client, run)
    return run


def assert_ready(stage: Stage) -> None:
    """I10: the site soon reports that it is ready, without a restart of processes that were not killed."""
    deadline = time.monotonic() + READY_WITHIN
    while not stage.client.is_ready():
        assert time.monotonic() < deadline, f"not ready {READY_WITHIN} s after the fault"
        time.sleep(0.1)


@pytest.mark.faults
@pytest.mark.parametrize(
    "faults",
    [
        [Site.kill_the_workers, Site.flush_the_broker, Site.kill_a_child],
        [Site.suspend_a_worker, Site.deliver_again, Site.kill_the_web],
    ],
    ids=lambda faults: "+".join(fault.__name__ for fault in faults),
)
def test_a_few_faults_at_random_moments_change_nothing(stage, chance, request, faults):
    survives(stage, chance, faults, request.node.name)


@pytest.mark.faults
@pytest.mark.parametrize("moment", range(3))
@pytest.mark.parametrize("fault", ON_THIS_DATABASE, ids=lambda fault: fault.__name__)
def test_a_fault_at_a_random_moment_changes_nothing(stage, chance, request, fault, moment):
    survives(stage, chance, [fault], request.node.name)


@pytest.mark.faults
@pytest.mark.parametrize("moment", range(5))
def test_many_faults_during_one_run_change_nothing(stage, chance, request, moment):
    survives(stage, chance, chance.choices(ON_THIS_DATABASE, k=5), request.node.name)


@pytest.mark.faults
@pytest.mark.parametrize("moment", range(2))
@pytest.mark.parametrize(
    ("fault", "times"),
    [(Site.kill_the_workers, 5), (Site.flush_the_broker, 10), (Site.kill_everything, 3)],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_the_same_fault_again_and_again_changes_nothing(stage, chance, request, fault, times, moment):
    survives(stage, chance, [fault] * times, request.node.name)


@pytest.mark.faults
@pytest.mark.skipif(vendor() != "postgresql", reason="SQLite has no connections to end")
@pytest.mark.parametrize("moment", range(3))
def test_connections_ended_five_times_during_one_run_change_nothing(stage, chance, request, moment):
    survives(stage, chance, [Site.end_connections] * 5, request.node.name)


@pytest.mark.faults
@pytest.mark.skipif(not MINUTES, reason="only where FAULTS_MINUTES says for how long")
def test_any_faults_at_any_moments_for_some_minutes_change_nothing(whole_site, chance):
    """Undertakings one after the other, each with random faults; the log lists them."""
    deadline = time.monotonic() + 60 * MINUTES
    for number in count(1):
        faults = chance.choices(ON_THIS_DATABASE, k=chance.randint(1, 6))
        log.info("%s: %s", number, ", ".join(fault.__name__ for fault in faults))
        whole_site.site.calm()
        survives(whole_site, chance, faults, f"any faults {number}")
        if time.monotonic() > deadline:
            break
