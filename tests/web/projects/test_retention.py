"""The page that previews and sets retention."""

from datetime import timedelta

import pytest
from django.utils import timezone

from evaluations.experiments import runs
from evaluations.models import Experiment, Run
from tests import factories
from tests.pages import markup

ADDRESS = "/p/default/retention/"
TRIED = {"delete_runs_after_days": "90", "delete_datasets_after_days": ""}


@pytest.fixture
def old_run(project) -> Run:
    """A run that is 100 days old."""
    run = factories.run(factories.experiment(project), variant="old variant", start=False)
    Run.objects.update(created_at=timezone.now() - timedelta(days=100))
    return run


def test_the_preview_shows_deletions_and_sets_nothing(alices, project, old_run):
    page = alices.get(ADDRESS, TRIED)

    project.refresh_from_db()
    assert project.delete_runs_after_days is None
    assert f'href="/runs/{old_run.pk}/"' in markup(page)
    assert page.context["tried"] == TRIED | {"delete_runs_after_days": 90}


def test_without_days_the_page_has_nothing_to_save(alices, old_run):
    page = alices.get(ADDRESS)

    assert (page.status_code, page.context["tried"]) == (200, {})
    assert "old variant" not in markup(page)
    assert "1 run, the oldest" in " ".join(markup(page).split())


def test_a_previewed_setting_is_saved_and_turned_off(alices, project):
    alices.post(ADDRESS, TRIED)
    project.refresh_from_db()
    days = project.delete_runs_after_days
    alices.post(ADDRESS, {})
    project.refresh_from_db()

    assert (days, project.delete_runs_after_days) == (90, None)


@pytest.mark.parametrize("days", ["0", "-5", "3651", "soon", "1e9", "9" * 5_000])
def test_days_that_cannot_be_are_refused_beside_their_field(alices, project, days):
    form = {"delete_runs_after_days": days}
    answers = [alices.get(ADDRESS, form), alices.post(ADDRESS, form)]

    project.refresh_from_db()
    assert project.delete_runs_after_days is None
    for answer in answers:
        assert (answer.status_code, list(answer.context["form"].errors)) == (400, ["delete_runs_after_days"])


def test_kept_objects_are_listed_with_their_reasons(alices, old_run):
    Experiment.objects.update(baseline="old variant", name="Which <one>?")

    html = markup(alices.get(ADDRESS, TRIED))

    assert "baseline of the experiment Which &lt;one&gt;?" in html


def test_a_button_restores_deleted_objects(alices, old_run):
    runs.delete(old_run)

    page = alices.get(ADDRESS)
    [deleted] = page.context["deleted"]
    alices.post(deleted.address)

    assert f'action="{deleted.address}"' in markup(page)
    assert Run.objects.get().deleted_at is None


def test_members_read_in_the_settings_when_runs_are_deleted(as_user, dana, alices):
    alices.post(ADDRESS, TRIED)

    assert "runs deleted after 90 days" in markup(as_user(dana).get("/p/default/settings/"))
