"""Real delivery: a worker process, a Redis, and the database between them."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from celery import current_app
from django.core.files.base import File

from evaluations.experiments import runs
from evaluations.imports import imports
from evaluations.imports.uploads import uploads
from evaluations.models import Chunk, Dataset, Run
from evaluations.scoring import scoring, spans
from tests import factories, processes

pytestmark = [pytest.mark.processes, pytest.mark.django_db(transaction=True)]


def until_completed(run: Run) -> None:
    processes.wait_until(
        lambda: Run.objects.get(pk=run.pk).status == Run.Status.COMPLETED, "the run is completed"
    )


def test_a_run_is_scored_by_a_worker_process(project, worker):
    run = factories.run(factories.experiment(project, "exact_match", "content_similarity"))

    until_completed(run)

    assert {s.summary["n"] for s in run.scorings.all()} == {3}


def test_a_file_is_imported_by_a_worker_process(project, worker):
    content = factories.jsonl(*({"question": f"q{n}", "answer": str(n)} for n in range(3_000)))
    upload = uploads.park(project, None, File(io.BytesIO(content.encode()), name="rows.jsonl"))
    dataset = imports.begin(upload, "by a worker", None)

    processes.wait_until(lambda: Dataset.objects.get(pk=dataset.pk).status == "ready", "the dataset is ready")

    dataset.refresh_from_db()
    assert dataset.example_count == 3_000


def test_lost_messages_are_sent_again_by_the_sweeper(project, broker, tmp_path, transactional_db):
    run = factories.run(factories.experiment(project))
    current_app.control.purge()
    running = processes.worker(tmp_path / "worker.log", broker)
    try:
        scoring.sweep()
        until_completed(run)
    finally:
        running.end()


def test_a_run_survives_the_death_of_its_worker(project, broker, tmp_path, transactional_db, monkeypatch):
    monkeypatch.setattr(spans, "CHUNK", 4)  # 500 chunks take seconds, during which progress can be seen
    experiment = factories.experiment(
        project, "levenshtein_distance", references=[f"answer {n}" for n in range(2_000)]
    )
    first = processes.worker(tmp_path / "first.log", broker, EVALSITE_LEASE="1")
    run = factories.run(experiment, [f"answer {n + 1}" for n in range(2_000)])
    processes.wait_until(lambda: Chunk.objects.filter(state="done").exists(), "a chunk is done")
    first.end()
    second = processes.worker(tmp_path / "second.log", broker, EVALSITE_LEASE="1")
    try:
        processes.wait_until(lambda: swept_to_the_end(run), "the run is completed")
    finally:
        second.end()

    summary = run.scorings.get().summary
    assert (summary["n"], summary["counts"]["total"]) == (2_000, 2_000)


def swept_to_the_end(run: Run) -> bool:
    scoring.sweep()
    return Run.objects.get(pk=run.pk).status == Run.Status.COMPLETED


def test_a_run_can_be_cancelled_while_a_worker_scores_it(project, worker, monkeypatch):
    # 1 500 chunks, because a worker may finish hundreds before the test looks
    monkeypatch.setattr(spans, "CHUNK", 2)
    experiment = factories.experiment(project, references=["x"] * 3_000)
    run = factories.run(experiment, ["x"] * 3_000)
    processes.wait_until(lambda: Chunk.objects.filter(state="done").exists(), "a chunk is done")

    runs.cancel(run)

    stored_scores = sum(len(bytes(b.status)) for s in run.scorings.all() for b in s.blocks.all())
    assert stored_scores < 3_000
    assert Run.objects.get(pk=run.pk).status == Run.Status.CANCELLED


NICENESS = """
import os
from pathlib import Path

from evalsite import celery

if {refused}:
    celery.AUTOGROUP = Path("/proc")  # a folder refuses to be written, as a /proc does that is read only
celery.use_the_concurrency_of_its_queue(celery.app.conf, {{"queues": {queues!r}}})
print(os.nice(0))
"""
AUTOGROUP = Path("/proc/self/autogroup")  # of the session of these tests


@pytest.mark.parametrize(
    ("queues", "refused", "added"),
    [("calls", False, 10), ("calls", True, 10), ("work,files", False, 0)],
    ids=["calls", "calls where sessions cannot be niced", "work and files"],
)
def test_a_caller_lets_pages_and_imports_have_the_processor_first(queues, refused, added):
    """Seen by its niceness, in a process of its own, because it cannot be taken back."""
    before = AUTOGROUP.read_text() if AUTOGROUP.exists() else ""
    program = NICENESS.format(refused=refused, queues=queues)
    for has_a_session in (True, False):
        command = [sys.executable, "-c", program]
        caller = subprocess.run(command, capture_output=True, text=True, start_new_session=has_a_session)
        assert caller.stdout.strip() == str(min(19, os.nice(0) + added)), caller.stderr

    assert not before or AUTOGROUP.read_text() == before, "the neighbours in its session are left alone"


def test_a_caller_has_the_package_of_the_models_before_the_first_call():
    program = (
        "import sys\n"
        "from evalsite import celery\n"
        "celery.use_the_concurrency_of_its_queue(celery.app.conf, {'queues': sys.argv[1]})\n"
        "print('openai' in sys.modules)\n"
    )

    def has_it(queues: str) -> str:
        command = [sys.executable, "-c", program, queues]
        return subprocess.run(command, capture_output=True, text=True).stdout.strip()

    assert [has_it("calls"), has_it("work,files")] == ["True", "False"]
