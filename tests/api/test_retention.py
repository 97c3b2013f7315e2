"""Retention by the API: the preview, then the setting."""

from datetime import timedelta

import pytest
from django.utils import timezone

from evaluations.models import AuditEntry, Experiment, Run, Scope
from tests import factories

from .conftest import Program, program
from .test_bodies import error

PATH = "projects/current/retention/"
OFF = {"delete_runs_after_days": None, "delete_datasets_after_days": None, "runs": None, "datasets": None}


@pytest.fixture
def admin(project, alice) -> Program:
    return program(project, Scope.ADMIN, alice)


@pytest.fixture
def old_run(project) -> Run:
    """A run that is 100 days old."""
    run = factories.run(factories.experiment(project), variant="v1", start=False)
    Run.objects.update(created_at=timezone.now() - timedelta(days=100))
    return run


def test_retention_is_off_by_default(reader):
    assert reader.get(PATH).json() == OFF


def test_days_in_the_query_are_tried_and_not_set(reader, old_run):
    preview = reader.get(f"{PATH}?delete_runs_after_days=90").json()

    assert preview["delete_runs_after_days"] == 90
    assert preview["runs"] | {"first": [], "next_at": None} == {
        "days": 90,
        "count": 1,
        "first": [],
        "kept": 0,
        "first_kept": [],
        "next_at": None,
    }
    [shown] = preview["runs"]["first"]
    assert shown | {"last_used": ""} == {
        "id": old_run.pk,
        "name": "v1",
        "experiment": "which is closer",
        "last_used": "",
        "reason": "",
    }
    assert reader.get(PATH).json() == OFF


def test_a_preview_names_kept_objects(reader, old_run):
    Experiment.objects.update(baseline="v1")

    preview = reader.get(f"{PATH}?delete_runs_after_days=90").json()["runs"]

    assert (preview["count"], preview["kept"]) == (0, 1)
    assert preview["first_kept"][0]["reason"] == "baseline of the experiment which is closer"


def test_days_are_set_one_by_one_and_null_turns_them_off(admin, project):
    both = {"delete_runs_after_days": 90, "delete_datasets_after_days": 180}
    answers = [admin.patch(PATH, body).json() for body in (both, {"delete_runs_after_days": None})]

    project.refresh_from_db()
    assert [answer["delete_runs_after_days"] for answer in answers] == [90, None]
    assert (project.delete_runs_after_days, project.delete_datasets_after_days) == (None, 180)
    assert answers[1]["datasets"]["days"] == 180


def test_changed_settings_are_in_the_audit_log(admin, project):
    admin.patch(PATH, {"delete_runs_after_days": 90})

    entry = AuditEntry.objects.get()
    assert (entry.action, entry.project, entry.details) == (
        "project-retention",
        project,
        {"delete_runs_after_days": 90},
    )


@pytest.mark.parametrize("days", [0, -1, 3_651, 2**31, 1.5, "90", True, [90]])
def test_days_that_cannot_be_are_refused(admin, project, days):
    answer = admin.patch(PATH, {"delete_runs_after_days": days})

    assert (answer.status_code, list(error(answer)["fields"])) == (400, ["delete_runs_after_days"])
    project.refresh_from_db()
    assert project.delete_runs_after_days is None


@pytest.mark.parametrize(
    "query", ["delete_runs_after_days=0", "delete_runs_after_days=", "delete_runs_after_days=9e9", "days=90"]
)
def test_a_query_that_cannot_be_is_refused(reader, query):
    assert reader.get(f"{PATH}?{query}").status_code == 400
