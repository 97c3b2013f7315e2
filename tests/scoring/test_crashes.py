"""Death at every commit point: nothing is lost, nothing is doubled, and the work ends.

A child process does the work and dies, as by kill -9, at its first commit point, the next one at its second, and so on
until one survives. After each death others continue, once the lease has expired.
"""

import asyncio
import io
import os
import traceback
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import count

import numpy as np
import pytest
from celery import current_app
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import connections
from django.db.models import F

from evaluations import commit_points, hints
from evaluations.access import projects
from evaluations.datasets import datasets
from evaluations.engine import queue
from evaluations.experiments import edited_outputs, experiments, runs
from evaluations.imports import changes, imports
from evaluations.imports.rows import incoming
from evaluations.imports.uploads import uploads
from evaluations.models import Block, Chunk, Dataset, Example, Import, Job, Output, OutputCopy, Run, Scoring
from evaluations.scoring import columns, scoring, spans
from evaluations.values import Status
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)
ROWS = [{"q": f"question {n}", "a": f"answer {n}", "v1": f"answer {n // 2}"} for n in range(5)]
MAPPING = {"inputs": ["q"], "reference": ["a"], "outputs": {"v1": "v1"}}
MOST_MOMENTS = 100


@pytest.fixture(autouse=True)
def small_steps(monkeypatch, settings):
    """Two chunks, two batches, and messages that go nowhere."""
    monkeypatch.setattr(spans, "CHUNK", 3)
    monkeypatch.setattr(incoming, "AT_ONCE", 1)
    settings.CELERY_BROKER_URL = "memory://"
    monkeypatch.setattr(current_app.conf, "broker_url", "memory://")
    monkeypatch.setattr(hints.Outage, "ends_at", 0.0)


def dies_at(moment: int, do: Callable[[], None]) -> str:
    """Run `do` in a child process that dies at commit point number `moment`; returns the point's name, "" if there is
    none.
    """
    close_connections()
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        code = 1
        try:
            os.dup2(writing, 2)
            commit_points._reached = count(1)
            commit_points.settings.FAIL_AT = moment
            do()
            code = 0
        finally:
            if code:
                os.write(writing, traceback.format_exc().encode())
            os._exit(code)
    os.close(writing)
    with open(reading) as output:
        message = output.read().strip()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, 9), message
    return message if code else ""


def close_connections() -> None:
    """Close all connections of this thread, so that the child inherits none.

    Django keeps connections apart that were opened while an event loop runs, as it does here once Playwright has
    started. A child has no loop and would find the older ones.
    """
    connections.close_all()
    loop = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    connections.close_all()
    asyncio._set_running_loop(loop)


def moments(do: Callable[[], None]) -> Iterator[str]:
    """Every commit point of `do`, after a death there."""
    for moment in range(1, MOST_MOMENTS):
        name = dies_at(moment, do)
        if not name:
            return
        yield name
    raise AssertionError("it never ends")


def expire_leases() -> None:
    """Expire the leases of killed processes."""
    for leased in (Chunk, Import, OutputCopy):
        leased.objects.filter(state="leased").update(lease_until=F("lease_until") - timedelta(hours=1))


def work_to_the_end() -> None:
    """Read every file, copy outputs, score every chunk and sweep, as workers and sweeper do."""
    for pk in Import.objects.values_list("pk", flat=True):
        imports.run_import(pk)
    factories.copy_outputs()
    while scoring.work(seconds=10):
        pass
    scoring.sweep()


def recover() -> None:
    for _ in range(3):
        expire_leases()
        scoring.sweep()
        imports.sweep()
        edited_outputs.sweep()
        work_to_the_end()


def an_hour_passes(file: str) -> None:
    """A reader that died after its last write has left its file, to which no row refers."""
    if default_storage.exists(file):
        os.utime(default_storage.path(file), (0, 0))
    uploads.forget_orphans()


def begin_import(project, evaluator, name: str) -> tuple[Dataset, str]:
    """A confirmed upload whose run is scored after its import, and the path of its file."""
    content = factories.jsonl(*ROWS).encode()
    upload = uploads.park(project, None, File(io.BytesIO(content), name="rows.jsonl"))
    return imports.begin(upload, name, MAPPING, evaluators=[evaluator]), upload.stored_as


def blocks_of(run: Run) -> list[tuple]:
    blocks = Block.objects.filter(scoring__run=run).order_by("scoring_id", "first")
    return [(b.first, bytes(b.values), bytes(b.passed), bytes(b.status)) for b in blocks]


def assert_complete_and_single(dataset: Dataset) -> Run:
    """I1, I2 and I4: every example once, every score once, consistent figures, and no leftovers."""
    dataset.refresh_from_db()
    run = Run.objects.get(experiment__dataset=dataset)
    size = len(ROWS)
    assert (dataset.status, dataset.version, dataset.example_count) == ("ready", 1, size)
    for rows in (Example.objects.filter(dataset=dataset), Output.objects.filter(run=run)):
        assert sorted(rows.values_list("position", flat=True)) == list(range(1, size + 1))
    assert run.status == Run.Status.COMPLETED
    assert (runs.progress(run).done, runs.progress(run).total) == (size, size)
    scored = Scoring.objects.get(run=run)
    slots = columns.load(scored.pk)
    assert slots.status.tolist() == [Status.SCORED] * size
    assert scored.summary["counts"]["total"] == scored.summary["n"] == size
    assert scored.summary["mean"] == pytest.approx(np.mean(slots.values), abs=1e-9)
    assert sum(scored.summary["histogram"]["counts"]) == size
    assert not Chunk.objects.exists()
    assert not Import.objects.exists()
    assert not Job.objects.filter(state=Job.State.OPEN).exists()
    return run


@pytest.mark.long
def test_no_death_between_file_and_averages_changes_the_result(project):
    evaluator = factories.evaluator(project, "levenshtein_distance")
    undisturbed, _ = begin_import(project, evaluator, "undisturbed")
    work_to_the_end()
    expected = blocks_of(assert_complete_and_single(undisturbed))
    names = []
    begin = (begin_import(project, evaluator, f"disturbed {n}") for n in count())
    dataset, file = next(begin)
    for name in moments(work_to_the_end):
        names.append(name)
        recover()
        assert blocks_of(assert_complete_and_single(dataset)) == expected, name
        an_hour_passes(file)
        assert not default_storage.exists(file), name
        dataset, file = next(begin)

    assert blocks_of(assert_complete_and_single(dataset)) == expected
    assert {
        "import_claimed", "import_batch", "import_finish", "import_done", "before_publish", "after_publish",
        "claimed", "before_write", "written", "after_write", "before_finalize", "finalizing", "after_finalize",
    } == set(names)  # fmt: skip


@pytest.mark.long
def test_a_death_anywhere_in_a_mirror_leaves_the_old_version_or_the_new_one(project):
    def keys(dataset: Dataset, version: int) -> list[tuple[str, str]]:
        return list(datasets.examples(dataset, version).values_list("key", "reference"))

    mapping, ended = {"inputs": ["q"], "reference": ["a"], "key": "q"}, ["import_finish", "import_done"]
    new = [{"q": "question 9", "a": "new"}, ROWS[0], ROWS[1] | {"a": "changed"}, ROWS[2] | {"a": "changed"}]
    names = []
    for number in count():
        dataset = factories.imported(
            project, factories.jsonl(*ROWS), mapping=mapping, name=f"weekly {number}"
        )
        old = keys(dataset, 1)
        changes.begin(factories.parked(project, factories.jsonl(*new)), dataset, "mirror", mapping)
        name = dies_at(number + 1, work_to_the_end)
        dataset.refresh_from_db()
        assert dataset.version == (2 if name in ("", ended[1]) else 1), name
        assert keys(dataset, 1) == old, name
        recover()
        dataset.refresh_from_db()
        assert keys(dataset, 1) == old, name
        assert {(row["q"], f'{{"a":"{row["a"]}"}}') for row in new} == set(keys(dataset, 2)), name
        assert (dataset.version, dataset.example_count, dataset.changes.get().status) == (2, 4, "ready"), name
        if not name:
            break
        names.append(name)

    assert {"import_claimed", "import_batch", *ended} == set(names)


@pytest.mark.long
def test_a_death_during_a_cancel_leaves_the_run_either_running_or_cancelled(project):
    experiment = factories.experiment(project, "exact_match")
    run = factories.run(experiment)
    claimed = scoring.claim()
    computed = scoring.score(claimed)

    assert [(name, Run.objects.get(pk=run.pk).status) for name in moments(lambda: runs.cancel(run))] == [
        ("cancelling", Run.Status.RUNNING)
    ]
    assert Run.objects.get(pk=run.pk).status == Run.Status.CANCELLED
    assert not scoring.close(claimed, computed)
    recover()
    assert not Block.objects.exists()


@pytest.mark.long
def test_a_death_anywhere_in_the_halving_of_a_chunk_leaves_it_whole_or_halved(project):
    run = factories.run(factories.experiment(project, "exact_match"))
    Chunk.objects.update(attempt=queue.ATTEMPTS - 1)
    scoring.claim()
    expire_leases()

    for name in moments(scoring.sweep):
        spans = Chunk.objects.order_by("first").values_list("first", "last")
        assert list(spans) in ([(1, 3)], [(1, 2), (3, 3)]), name
    recover()

    assert Run.objects.get(pk=run.pk).status == Run.Status.COMPLETED
    assert experiments.shown_runs(run.experiment)[0].scorings.get().summary["n"] == 3


@pytest.mark.long
def test_a_death_anywhere_in_the_copying_of_outputs_loses_and_doubles_none(alice, monkeypatch):
    monkeypatch.setattr(edited_outputs, "AT_ONCE", 1)
    names = []
    for number in count():
        run = factories.scored_run(factories.experiment(projects.create(f"Moves {number}", alice)))
        for position, city in ((1, "Lyon"), (3, "Nice")):
            datasets.edit(run.experiment.dataset, None, position, {"reference": {"answer": city}})
        run.experiment.refresh_from_db()
        experiments.use_dataset_version(run.experiment)
        name = dies_at(number + 1, work_to_the_end)
        recover()
        outputs = Output.objects.filter(run=run).order_by("position").values_list("position", "text")
        assert list(outputs) == [(2, "Lyon"), (4, "Paris"), (5, "Oslo")], name
        run.refresh_from_db()
        assert (run.status, run.revision) == (Run.Status.COMPLETED, 2), name
        assert Scoring.objects.get(run=run).summary["n"] == 3, name
        if not name:
            break
        names.append(name)

    assert {"copy_claimed", "copying", "batch_copied", "copied"} <= set(names)
