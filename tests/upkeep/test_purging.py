"""Deleted objects are purged after seven days; only users' live data stays for ever."""

import logging
from datetime import timedelta

import pytest
from axes.models import AccessAttempt
from django.core.files.storage import default_storage
from django.utils import timezone

from evaluations import leases, tasks
from evaluations.access import projects, sessions, signin_links
from evaluations.datasets import datasets
from evaluations.engine import consumption
from evaluations.evaluators import connections, evaluators
from evaluations.experiments import experiments, runs, sent_scores
from evaluations.imports import retries
from evaluations.imports.columns import saved_mappings
from evaluations.imports.uploads import uploads
from evaluations.launches import launches
from evaluations.launches.plans import Plan, Variant
from evaluations.models import (
    AuditEntry,
    Block,
    Budget,
    Connection,
    Dataset,
    Evaluator,
    Example,
    Experiment,
    Invitation,
    Launch,
    Output,
    Project,
    Pulse,
    Record,
    RecordColumn,
    Run,
    SavedMapping,
    Session,
    SignInLink,
    Spending,
)
from evaluations.prompts import ledger, prompts
from evaluations.upkeep import purging
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def now():
    return timezone.now()


def entry(time) -> AuditEntry:
    return AuditEntry.objects.create(at=time, actor_name="alice", action="sign in", object_name="")


def test_sessions_links_and_failed_tries_end(now, client, alice, project):
    client.force_login(alice)
    signin_links.make_signin_link(alice)
    over, ahead = now - timedelta(days=60), now + timedelta(days=1)
    Session.objects.create(session_key="old", session_data="", expire_date=over)
    SignInLink.objects.create(user=alice, digest="x", expires_at=over)
    Invitation.objects.create(project=project, role="viewer", digest="x", created_by=alice, expires_at=over)
    remaining = Invitation.objects.create(
        project=project, role="viewer", digest="y", created_by=alice, expires_at=ahead
    )
    AccessAttempt.objects.create(username="alice", failures_since_start=3)
    AccessAttempt.objects.update(attempt_time=over)

    purging.purge()

    assert Session.objects.exclude(session_key=sessions.row(client.session.session_key)).count() == 0
    assert client.get("/").status_code in (200, 302)
    assert SignInLink.objects.exclude(digest="x").count() == SignInLink.objects.count() == 1
    assert list(Invitation.objects.all()) == [remaining]
    assert not AccessAttempt.objects.exists()


def test_audit_entries_leave_after_their_days(now, settings, monkeypatch):
    settings.EVALSITE_AUDIT_DAYS = 400
    monkeypatch.setattr(purging, "SLICE", 2)
    for days in (500, 450, 401):
        entry(now - timedelta(days=days))
    remaining = [entry(now - timedelta(days=399)), entry(now)]

    purging.purge()

    assert list(AuditEntry.objects.order_by("pk")) == remaining


def test_without_a_limit_audit_entries_stay(now, settings):
    settings.EVALSITE_AUDIT_DAYS = 0
    old_entry = entry(now - timedelta(days=5_000))

    purging.purge()

    assert list(AuditEntry.objects.all()) == [old_entry]


# ---- deleted objects ----------------------------------------------------------------------------------------


@pytest.fixture
def days_pass(monkeypatch, settings, tmp_path):
    """Advance the clocks of this process and of the database.

    With a separate data folder, because files of concurrent tests would be old as well, and deleted.
    """
    settings.MEDIA_ROOT = tmp_path
    clocks = {(timezone, "now"): timezone.now, (leases, "now"): leases.now}

    def pass_(days: float) -> None:
        for clock, real in clocks.items():
            monkeypatch.setattr(*clock, lambda real=real: real() + timedelta(days=days))

    return pass_


def test_a_deleted_run_leaves_with_its_outputs_and_scores_after_seven_days(project, days_pass):
    experiment = factories.experiment(project)
    remaining, deleted = (factories.scored_run(experiment, variant=name) for name in ("kept", "gone"))
    runs.delete(deleted)

    days_pass(6.9)
    purging.purge()
    assert Run.objects.count() == 2

    days_pass(7.1)
    purging.purge()
    assert list(Run.objects.all()) == [remaining]
    assert set(Output.objects.values_list("run", flat=True)) == {remaining.pk}
    assert set(Block.objects.values_list("scoring__run", flat=True)) == {remaining.pk}


def test_a_worker_whose_own_clock_is_ahead_removes_nothing(project, monkeypatch):
    run = factories.scored_run(factories.experiment(project))
    runs.delete(run)
    real = timezone.now
    monkeypatch.setattr(timezone, "now", lambda: real() + timedelta(days=365))

    purging.purge()

    assert Run.objects.exists()


@pytest.mark.long
def test_a_sweep_purges_for_a_turn_and_the_next_continues(project, days_pass, monkeypatch):
    monkeypatch.setattr(purging, "SLICE", 1)
    monkeypatch.setattr(purging, "TURN", 0)
    run = factories.scored_run(factories.experiment(project))
    datasets.delete(run.experiment.dataset)
    days_pass(7.1)

    row_counts = []
    for _ in range(10):
        purging.purge()
        row_counts.append(Output.objects.count() + Example.objects.count())

    assert row_counts[:6] == [5, 4, 3, 2, 1, 0]
    assert not Dataset.objects.exists()


def test_sent_scores_leave_with_their_run_and_when_they_were_removed_too_long_ago(project, days_pass):
    experiment = factories.experiment(project)
    kept, gone = (factories.scored_run(experiment, variant=name) for name in ("kept", "gone"))
    for run in (kept, gone):
        for name in ("helpful", "removed"):
            sent_scores.send(run, None, name, {}, [{"position": 1, "value": 1}])
    removed = Evaluator.objects.get(name="removed")
    sent_scores.remove(kept, removed)
    evaluators.delete(removed)
    runs.delete(gone)

    days_pass(7.1)
    purging.purge()
    purging.purge()

    column = RecordColumn.objects.get()
    assert (column.run, column.evaluator_version.evaluator.name) == (kept, "helpful")
    assert list(Record.objects.values_list("column", flat=True)) == [column.pk]
    assert not Evaluator.objects.filter(pk=removed.pk).exists()


def test_a_deleted_experiment_leaves_with_its_runs_and_keeps_its_dataset(project, days_pass):
    experiment = factories.experiment(project)
    factories.scored_run(experiment)
    experiments.delete(experiment)

    days_pass(7.1)
    purging.purge()

    assert (Experiment.objects.count(), Run.objects.count(), Output.objects.count()) == (0, 0, 0)
    assert Example.objects.count() == 3


def test_a_deleted_dataset_is_purged_with_its_dependents(project, days_pass):
    experiment = factories.experiment(project)
    factories.scored_run(experiment)
    datasets.delete(experiment.dataset)

    days_pass(7.1)
    purging.purge()

    assert (Dataset.objects.count(), Example.objects.count(), Run.objects.count()) == (0, 0, 0)


def test_a_failed_import_and_its_file_stay_for_seven_days(project, days_pass):
    failed = factories.imported(project, "no json")

    days_pass(6.9)
    purging.purge()

    assert default_storage.exists(retries.failed_import(failed).stored_as)


def test_a_failed_import_leaves_when_its_file_was_forgotten(project, days_pass):
    factories.imported(project, "no json")

    days_pass(7.1)
    purging.purge()
    purging.purge()

    assert not Dataset.objects.exists()


def test_a_deleted_connection_leaves_with_its_key(project, days_pass):
    connection = connections.store(project, None, "server", "https://example.com/v1", "secret")
    connections.delete(connection)

    days_pass(7.1)
    purging.purge()

    assert not Connection.objects.exists()


def test_a_deleted_saved_mapping_leaves_and_remembered_ones_stay(project, days_pass):
    saved = saved_mappings.create(project, None, "weekly", {"inputs": ["a"]})
    saved_mappings.delete(saved)
    saved_mappings.remember(project, ["a"], {"inputs": ["a"]})

    days_pass(7.1)
    purging.purge()

    assert SavedMapping.objects.get().name == ""


def test_a_deleted_evaluator_is_purged_once_unused(project, days_pass):
    evaluators.delete(factories.evaluator(project))

    days_pass(7.1)
    purging.purge()

    assert not Evaluator.objects.exists()


def test_an_evaluator_of_which_one_version_is_used_stays(project, days_pass):
    """Its first version was changed before it was used: the second keeps both."""
    evaluator = factories.evaluator(project)
    evaluators.change(evaluator, None, config={"case_sensitive": False})
    dataset = factories.dataset(project)
    experiment = experiments.create(project, None, "uses the second", dataset, [evaluator])
    factories.scored_run(experiment)
    evaluators.delete(evaluator)

    days_pass(7.1)
    purging.purge_evaluators()

    assert evaluator.versions.count() == 2


def test_a_deleted_project_is_purged_with_all_it_owned(project, alice, days_pass):
    factories.scored_run(factories.experiment(project))
    connections.store(project, None, "server", "https://example.com/v1", "secret")
    projects.delete(project, project.name)

    days_pass(7.1)
    purging.purge()

    counts = [model.objects.count() for model in (Project, *purging.OWNED, Example, Output, Block)]
    assert not any(counts)


@pytest.mark.long
def test_a_project_waits_until_the_calls_of_its_launches_are_removed(now, project, settings, monkeypatch):
    launch = launched(project, settings)
    call = ledger.Call(Connection.objects.get(), "m", None, ledger.Tokens(1, 1))
    for _ in range(9):
        ledger.reserve(call, launch.budget)
    launches.cancel(launch)
    Project.objects.filter(pk=project.pk).update(deleted_at=now - timedelta(days=8))
    monkeypatch.setattr(purging, "SLICE", 1)
    monkeypatch.setattr(purging, "TURN", 0)

    calls_left = []
    for _ in range(30):
        if Project.objects.filter(pk=project.pk).exists():
            calls_left.append(Spending.objects.count())
            purging.purge()

    assert (calls_left[0], calls_left[-1]) == (10, 0)
    assert len(calls_left) < 30


def failing_step() -> None:
    raise RuntimeError("never again")


def test_a_step_that_fails_is_named_and_stops_no_other(project, days_pass, monkeypatch, caplog):
    monkeypatch.setattr(purging, "EVERY_SWEEP", (failing_step, *purging.EVERY_SWEEP))
    monkeypatch.setattr(purging, "EVERY_HOUR", (failing_step, *purging.EVERY_HOUR))
    evaluators.delete(factories.evaluator(project))
    days_pass(7.1)

    with caplog.at_level(logging.ERROR):
        purging.purge()

    assert ["failing_step" in record.getMessage() for record in caplog.records] == [True, True]
    assert not Evaluator.objects.exists()


def test_a_sweep_leaves_its_pulse_whatever_purging_does(monkeypatch, db):
    monkeypatch.setattr(purging, "purge", failing_step)

    tasks.sweep()

    assert Pulse.objects.filter(name="sweep").exists()
    assert consumption.is_swept()


def test_whole_stores_are_searched_once_an_hour(monkeypatch, db):
    looks = []
    monkeypatch.setattr(uploads, "_orphans", lambda: looks.append("storage") or [])

    for _ in range(3):
        purging.purge()

    assert looks == ["storage"]


def launched(project, settings) -> Launch:
    """A launch with one call of unknown price."""
    server = factories.connection(project, settings)
    prompt = factories.prompt(project, "{{ question }}")
    variant = Variant(prompts.add_version(prompt, None, {"model": "m", "connection": server})[0])
    launch = launches.create(factories.experiment(project), None, [variant], Plan())
    ledger.reserve(ledger.Call(server, "m", None, ledger.Tokens(1, 1)), launch.budget)
    return launch


def test_a_launch_is_purged_with_its_last_run_and_its_budget(now, project, settings):
    launch = launched(project, settings)
    launches.cancel(launch)
    Run.objects.update(deleted_at=now - timedelta(days=8))

    purging.purge()

    assert not Launch.objects.exists()
    assert not Spending.objects.exists()
    assert not Budget.objects.filter(month="").exists()
    assert Budget.objects.exclude(month="").get().calls == 1


def test_a_launch_that_has_a_run_keeps_its_budget(project, settings):
    launch = launched(project, settings)

    purging.purge()

    assert Budget.objects.get(month="") == launch.budget


def test_a_project_takes_its_launches_along(now, project, settings):
    launches.cancel(launched(project, settings))
    Project.objects.filter(pk=project.pk).update(deleted_at=now - timedelta(days=8))

    for _ in range(2):
        purging.purge()

    assert not Launch.objects.exists()
    assert not Budget.objects.exists()
    assert not Project.objects.filter(pk=project.pk).exists()
