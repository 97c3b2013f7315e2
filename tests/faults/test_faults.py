"""Real processes are harmed at random moments while a file is read and scored; nothing is lost and it ends.

A short selection runs with all tests; `make faults` runs every fault, alone and together, with several seeds.
"""

import io
import random
import time
from collections.abc import Callable, Iterator

import pytest
from django.core.files.base import File
from django.db import connection
from rapidfuzz.distance import Levenshtein

from evaluations import columns, experiments, imports, runs, uploads
from evaluations.models import Block, Chunk, Dataset, Example, Import, Job, Output, Run
from evaluations.values import Status
from tests import factories, processes

from .site import FAULTS, Site, publish_to

pytestmark = pytest.mark.django_db(transaction=True)
SIZE = 20_000
MAPPING = {"inputs": ["q"], "reference": ["a"], "outputs": {"v1": "v1"}}
ENDS_WITHIN = 90  # seconds after the last fault


@pytest.fixture
def seed() -> int:
    """What decides the moments; tests of many seeds replace it."""
    return 1


@pytest.fixture
def site(seed, tmp_path, transactional_db, settings, monkeypatch):
    made = Site(tmp_path, random.Random(seed))
    publish_to(made.redis.url, settings, monkeypatch)
    try:
        made.start()
        yield made
    finally:
        made.end()


def rows() -> Iterator[tuple[str, str]]:
    """Reference and output of every example."""
    return ((f"the answer is {n}", f"the answer is {n * 7 % SIZE}") for n in range(SIZE))


def content() -> bytes:
    return factories.jsonl(
        *({"q": "?", "a": reference, "v1": output} for reference, output in rows())
    ).encode()


EXPECTED: dict[str, Callable[[str, str], float]] = {
    "exact_match": lambda reference, output: float(reference == output),
    "levenshtein_distance": lambda reference, output: float(Levenshtein.distance(reference, output)),
}


def begun(project, evaluators, name: str) -> Dataset:
    upload = uploads.park(project, None, File(io.BytesIO(content()), name="rows.jsonl"))
    return imports.begin(upload, name, MAPPING, evaluators=evaluators)


def run_of(dataset: Dataset) -> Run:
    return Run.objects.get(experiment__dataset=dataset)


def has_ended(dataset: Dataset) -> bool:
    done = Run.objects.filter(experiment__dataset=dataset, status=Run.Status.COMPLETED, scorings__gt=0)
    return done.exists() and not Job.objects.filter(state=Job.State.OPEN).exists()


def assert_whole(dataset: Dataset) -> None:
    """I1 to I3: every example and output once, every score once and right, and the figures agree."""
    run = run_of(dataset)
    for stored in (Example.objects.filter(dataset=dataset), Output.objects.filter(run=run)):
        assert stored.count() == SIZE
    assert (runs.progress(run).done, runs.progress(run).total) == (SIZE, SIZE)
    assert run.scorings.count() == len(EXPECTED)
    for scored in run.scorings.select_related("evaluator_version"):
        slots = columns.load(scored.pk, SIZE)
        assert (slots.status[:SIZE] == Status.SCORED).all()
        expected = EXPECTED[scored.evaluator_version.kind]
        assert slots.values[:SIZE].tolist() == [expected(*row) for row in rows()]
        assert scored.summary["counts"]["total"] == scored.summary["n"] == SIZE
    assert not Chunk.objects.exists()
    assert not Import.objects.exists()


def harm(site: Site, faults: list[str]) -> None:
    for fault in faults:
        time.sleep(site.chance.uniform(0, 1.5))
        getattr(site, fault)()


def survives(site: Site, project, faults: list[str]) -> None:
    evaluators = [factories.evaluator(project, kind) for kind in EXPECTED]
    dataset = begun(project, evaluators, "disturbed")
    harm(site, faults)
    processes.wait_until(lambda: has_ended(dataset), f"the end after {faults}", ENDS_WITHIN)
    assert_whole(dataset)


# ---- the short selection


@pytest.mark.processes
@pytest.mark.parametrize(
    "faults",
    [
        ["kill_the_workers", "flush_the_broker", "kill_a_child"],
        ["suspend_a_worker", "deliver_again", "sweep_ten_times_over"],
    ],
    ids="+".join,
)
def test_a_few_faults_at_random_moments_change_nothing(site, project, faults):
    survives(site, project, faults)


# ---- all of them


@pytest.mark.faults
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_at_a_random_moment_changes_nothing(site, project, fault):
    survives(site, project, [fault])


@pytest.mark.faults
@pytest.mark.parametrize("seed", range(5))
def test_many_faults_in_one_run_change_nothing(site, project):
    survives(site, project, site.chance.choices(FAULTS, k=5))


@pytest.mark.faults
@pytest.mark.parametrize("seed", range(2))
def test_workers_killed_five_times_in_one_run_fail_nobody(site, project):
    survives(site, project, ["kill_the_workers"] * 5)


@pytest.mark.faults
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no connections to end")
@pytest.mark.parametrize("seed", range(3))
def test_connections_ended_five_times_in_one_run_change_nothing(site, project):
    survives(site, project, ["end_connections"] * 5)


@pytest.mark.faults
@pytest.mark.parametrize("after", ["kill_the_workers", "flush_the_broker", "deliver_again"])
@pytest.mark.parametrize("seed", range(3))
def test_a_cancel_at_a_random_moment_is_final(site, project, after):
    dataset = begun(project, [factories.evaluator(project, "levenshtein_distance")], "cancelled")
    processes.wait_until(lambda: Job.objects.exists(), "the file is read", ENDS_WITHIN)
    run = run_of(dataset)
    time.sleep(site.chance.uniform(0, 0.3))
    if not Run.objects.filter(pk=run.pk, status__in=Run.OPEN).exists():
        pytest.skip("it was scored before it could be cancelled")

    runs.cancel(run)
    before = stored(run)
    getattr(site, after)()
    time.sleep(5)

    assert stored(run) == before
    assert Run.objects.get(pk=run.pk).status == Run.Status.CANCELLED
    assert not experiments.runs_of(run.experiment).filter(status__in=Run.OPEN).exists()


def stored(run: Run) -> list[tuple]:
    return list(
        Block.objects.filter(scoring__run=run)
        .order_by("scoring_id", "first")
        .values_list("scoring_id", "first")
    )
