"""A site restored from a backup continues its unfinished work, with the same result."""

import io
import stat
from datetime import timedelta

import pytest
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import F

from evaluations.experiments import sent_scores
from evaluations.imports import imports
from evaluations.imports.uploads import uploads
from evaluations.models import Block, Chunk, Dataset, Import, Project, Record, Run, Scoring
from evaluations.scoring import jobs, scoring, spans
from tests import factories
from tests.factories import jsonl

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL has its own pg_dump"),
]


@pytest.fixture
def half_done(project, monkeypatch) -> Run:
    """A run with one finished chunk, and one leased by a worker."""
    monkeypatch.setattr(spans, "CHUNK", 1)
    run = factories.run(factories.experiment(project, "exact_match"))
    claimed = scoring.claim()
    scoring.close(claimed, scoring.score(claimed))
    scoring.claim()
    return run


def test_a_restored_backup_resumes_its_runs(half_done, tmp_path):
    call_command("backup", tmp_path / "site.tar")
    Run.objects.all().delete()

    call_command("restore", tmp_path / "site.tar", "--replace")

    assert sorted(Chunk.objects.values_list("state", flat=True)) == ["done", "leased", "ready"]
    Chunk.objects.update(lease_until=F("lease_until") - timedelta(hours=1))
    scoring.sweep()
    while scoring.work(seconds=10):
        pass
    assert Run.objects.get(pk=half_done.pk).status == Run.Status.COMPLETED
    assert half_done.scorings.get().summary["n"] == 3
    assert Block.objects.count() == 3


def test_a_restored_backup_has_the_records_of_sent_scores(project, tmp_path):
    run = factories.scored_run(factories.experiment(project))
    sent_scores.send(run, None, "helpful", {}, [{"position": 1, "value": 0.5, "note": "short"}])
    call_command("backup", tmp_path / "site.tar")
    Record.objects.all().delete()

    call_command("restore", tmp_path / "site.tar", "--replace")

    jobs.score_again(Run.objects.get())
    while scoring.work(seconds=10):
        pass
    assert Scoring.objects.get(evaluator_version__kind="sent").summary["mean"] == 0.5
    assert Record.objects.get().note == "short"


def test_a_restored_backup_still_has_the_files_that_wait(project, tmp_path):
    content = jsonl({"question": "q", "answer": "a"}).encode()
    upload = uploads.park(project, None, File(io.BytesIO(content), name="rows.jsonl"))
    dataset = imports.begin(upload, "waiting", None)
    call_command("backup", tmp_path / "site.tar")
    default_storage.delete(upload.stored_as)

    call_command("restore", tmp_path / "site.tar", "--replace")

    imports.run_import(Import.objects.get().pk)
    assert Dataset.objects.get(pk=dataset.pk).example_count == 1


def test_only_its_owner_reads_a_backup(project, tmp_path):
    file = tmp_path / "site.tar"

    call_command("backup", file)

    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["site.tar"]


def test_a_backup_overwrites_nothing(project, tmp_path):
    file = tmp_path / "site.tar"
    file.write_bytes(b"an older backup")

    with pytest.raises(CommandError, match="already exists"):
        call_command("backup", file)

    assert file.read_bytes() == b"an older backup"


def test_a_site_with_projects_is_overwritten_only_with_the_replace_option(project, tmp_path):
    call_command("backup", tmp_path / "site.tar")

    with pytest.raises(CommandError, match="--replace"):
        call_command("restore", tmp_path / "site.tar")


def test_a_file_that_is_no_backup_changes_nothing(project, tmp_path):
    (tmp_path / "site.tar").write_bytes(b"no archive")

    with pytest.raises(CommandError):
        call_command("restore", tmp_path / "site.tar", "--replace")
    assert Project.objects.exists()
