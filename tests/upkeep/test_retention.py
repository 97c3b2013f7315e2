"""Old runs are deleted by their project's settings, after a preview, and can be restored."""

import logging
from dataclasses import replace
from datetime import timedelta
from itertools import count

import pytest
from django.db.models import F

from evaluations import owned
from evaluations.access import projects
from evaluations.datasets import datasets
from evaluations.experiments import experiments, runs
from evaluations.models import AuditEntry, Dataset, Experiment, Project, Run
from evaluations.upkeep import purging, retention
from tests import factories

from .aging import RUNS_AFTER_90, days_pass, live_runs, sweep

pytestmark = pytest.mark.django_db


# ---- runs --------------------------------------------------------------------------------------------------


def test_without_a_setting_nothing_is_deleted_by_its_age(project, old_runs):
    days_pass(5_000)

    sweep()

    assert live_runs() == ["v1", "v2"]
    assert Dataset.objects.live().exists()


def test_runs_older_than_the_days_are_deleted_in_this_project_alone(project, experiment, old_runs, charlie):
    elsewhere = factories.experiment(Project.objects.get(memberships__user=charlie))
    factories.run(elsewhere, variant="theirs", start=False)
    retention.change(project, RUNS_AFTER_90)
    days_pass(100)
    factories.run(experiment, variant="v3")
    experiments.set_baseline(experiment, "v3")

    sweep()

    assert live_runs() == ["theirs", "v3"]


def test_a_run_is_as_old_as_its_end(project, old_runs):
    first, second = old_runs
    Run.objects.filter(pk=first.pk).update(finished_at=F("finished_at") + timedelta(days=20))

    plan = retention.plan(project, RUNS_AFTER_90)

    assert [shown.target for shown in plan.runs.first] == [second]


def test_restoring_a_deleted_run_counts_as_a_use(project, old_runs):
    retention.change(project, RUNS_AFTER_90)
    sweep()
    assert live_runs() == []

    owned.restore(old_runs[0])
    sweep()

    assert live_runs() == ["v1"]


def test_runs_of_a_restored_experiment_are_used_again(project, experiment, old_runs):
    experiments.delete(experiment)
    retention.change(project, RUNS_AFTER_90)
    owned.restore(Experiment.objects.get(pk=experiment.pk))

    sweep()

    assert live_runs() == ["v1", "v2"]


def test_deletions_are_in_the_audit_log_by_retention(project, old_runs):
    retention.change(project, RUNS_AFTER_90)

    sweep()

    entries = AuditEntry.objects.order_by("object_name")
    assert [(entry.object_name, entry.action, entry.actor_name) for entry in entries] == [
        ("v1", "run-delete", "retention"),
        ("v2", "run-delete", "retention"),
    ]
    assert (entries[0].project, entries[0].actor, entries[0].details) == (project, None, {"days": 90})


# ---- the preview -------------------------------------------------------------------------------------------


def test_a_preview_changes_nothing(project, experiment, old_runs):
    factories.scored_run(experiment, variant="v3")
    experiments.set_baseline(experiment, "v1")
    following = Run.objects.get(variant="v3").finished_at + timedelta(days=90)

    preview = retention.plan(project, RUNS_AFTER_90).runs
    sweep()

    assert (preview.count, [shown.target.variant for shown in preview.first]) == (1, ["v2"])
    assert preview.survey.next_at == following
    assert live_runs() == ["v1", "v2", "v3"]


def test_a_preview_counts_all_and_shows_the_first(project, experiment, monkeypatch):
    monkeypatch.setattr(retention, "SHOWN", 2)
    for n in range(3):
        factories.run(experiment, variant=f"v{n}", start=False)
    days_pass(100)

    preview = retention.plan(project, RUNS_AFTER_90).runs

    assert (preview.count, len(preview.first)) == (3, 2)


# ---- the sweep ---------------------------------------------------------------------------------------------


def use_for_runs(monkeypatch: pytest.MonkeyPatch, **changes: object) -> None:
    monkeypatch.setattr(retention, "RULES", (replace(retention.RUNS, **changes),))


def test_a_sweep_deletes_a_batch_and_the_next_continues(project, old_runs, monkeypatch):
    use_for_runs(monkeypatch, batch=1)
    retention.change(project, RUNS_AFTER_90)

    counts = []
    for _ in range(3):
        sweep()
        counts.append(len(live_runs()))

    assert counts == [1, 0, 0]


def test_between_two_batches_ten_minutes_pass(project, old_runs, monkeypatch):
    use_for_runs(monkeypatch, batch=1)
    retention.change(project, RUNS_AFTER_90)

    for _ in range(3):
        purging.purge()

    assert len(live_runs()) == 1


def test_a_run_that_cannot_be_deleted_is_logged_and_stops_no_other(project, old_runs, monkeypatch, caplog):
    def fail_for_the_first(run: Run) -> None:
        if run == old_runs[0]:
            raise RuntimeError("never")
        runs.delete(run)

    use_for_runs(monkeypatch, delete=fail_for_the_first)
    retention.change(project, RUNS_AFTER_90)

    with caplog.at_level(logging.ERROR):
        sweep()

    assert live_runs() == ["v1"]
    assert len(caplog.records) == 1


def test_turning_retention_off_stops_it_at_once(project, old_runs, monkeypatch):
    def delete_and_turn_off(run: Run) -> None:
        runs.delete(run)
        retention.change(project, {"delete_runs_after_days": None})

    use_for_runs(monkeypatch, delete=delete_and_turn_off)
    retention.change(project, RUNS_AFTER_90)

    sweep()

    assert len(live_runs()) == 1


def test_a_run_that_is_used_meanwhile_stays(project, experiment, old_runs, monkeypatch):
    def delete_and_choose_the_other(run: Run) -> None:
        [remaining_run] = set(old_runs) - {run}
        runs.delete(run)
        experiments.set_baseline(experiment, remaining_run.variant)

    use_for_runs(monkeypatch, delete=delete_and_choose_the_other)
    retention.change(project, RUNS_AFTER_90)

    sweep()

    assert len(live_runs()) == 1


def test_objects_of_a_deleted_project_are_left_to_its_purge(project, old_runs):
    retention.change(project, RUNS_AFTER_90)
    projects.delete(project, project.name)

    sweep()

    assert live_runs() == ["v1", "v2"]


# ---- restoring ---------------------------------------------------------------------------------------------


def test_recently_deleted_objects_are_listed_newest_first(project, experiment, old_runs):
    dataset = factories.dataset(project, name="other")
    runs.delete(old_runs[0])
    datasets.delete(dataset)

    assert retention.restorable(project) == [dataset, old_runs[0]]


def test_objects_deleted_over_a_week_ago_cannot_be_restored(project, old_runs):
    runs.delete(old_runs[0])
    days_pass(8)

    assert retention.restorable(project) == []


def test_many_projects_take_a_turn_and_not_a_whole_sweep(alice, monkeypatch):
    """On a site of a thousand projects, every tenth minute sweeps waited half a minute for them."""
    for n in range(3):
        projects.create(f"p{n}", alice)
    Project.objects.update(delete_runs_after_days=30)
    looked_at = []
    monkeypatch.setattr(retention, "_delete_batch", lambda rule, project: looked_at.append(project))
    monkeypatch.setattr(retention.time, "monotonic", count(step=3).__next__)

    retention.delete_old()

    assert len(looked_at) == 1
