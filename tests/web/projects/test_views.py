"""Saved views, and what was opened last, on the front page."""

import pytest
from django.urls import reverse
from django.utils import timezone

from evaluations.access import projects
from evaluations.experiments import saved_views
from evaluations.gates import gates
from evaluations.models import Dataset, Experiment, SavedView
from evaluations.web.page_tools import recent
from tests import factories
from tests.pages import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def editor(alices):
    return alices


@pytest.fixture
def viewer(as_user, dana):
    return as_user(dana)


@pytest.fixture
def run(project):
    return factories.scored_run(factories.experiment(project), variant="terse")


def saved(editor, project, **fields):
    return editor.post(f"/p/{project.slug}/views/", fields)


def home(client, project):
    return client.get(f"/p/{project.slug}/").content.decode()


def test_a_view_keeps_the_filters_and_stands_on_the_front_page(editor, project, run):
    path = f"/runs/{run.pk}/?status=error"
    answer = saved(editor, project, name="Errors of terse", path=path)

    assert answer.headers["Location"] == path
    assert f'href="{path}"' in home(editor, project)
    assert "Errors of terse" in home(editor, project)


def test_a_comparison_of_chosen_runs_can_be_saved(editor, project, run):
    other = factories.scored_run(run.experiment, ("Paris", "Rome", "x"), "polite")
    path = f"/compare/?runs={run.pk},{other.pk}&show=worse"
    page = editor.get(path).content.decode()

    assert f'value="{path.replace("&", "&amp;")}"' in page
    assert 'value="polite against terse"' in page
    assert saved(editor, project, name="Polite", path=path).headers["Location"] == path
    assert "Polite" in home(editor, project)


def test_the_filters_are_those_of_the_page_when_it_is_saved(editor, project, run):
    now = f"http://testserver/runs/{run.pk}/?status=error"
    editor.post(
        f"/p/{project.slug}/views/", {"name": "Now", "path": f"/runs/{run.pk}/"}, headers={"referer": now}
    )

    assert SavedView.objects.get().path == f"/runs/{run.pk}/?status=error"


def test_a_second_view_of_an_address_takes_the_place_of_the_first(editor, viewer, project, run):
    path = f"/runs/{run.pk}/?status=error"
    for name in ("terse", "Errors of terse"):
        saved(editor, project, name=name, path=path)
    saved(viewer, project, name="mine", path=path)

    kept = SavedView.objects.live().order_by("pk").values_list("name", flat=True)
    assert list(kept) == ["Errors of terse", "mine"]


def test_a_view_is_for_its_maker_unless_it_is_shared(editor, viewer, project, run):
    for name, shared in (("mine alone", {}), ("ours", {"shared": "on"})):
        saved(editor, project, name=name, path=f"/runs/{run.pk}/", **shared)

    assert "ours" in home(viewer, project)
    assert "mine alone" not in home(viewer, project)


def test_a_viewer_saves_for_himself_but_shares_nothing(viewer, project, run):
    assert saved(viewer, project, name="mine", path=f"/runs/{run.pk}/").status_code == 302
    assert saved(viewer, project, name="ours", path=f"/runs/{run.pk}/", shared="on").status_code == 403


@pytest.mark.parametrize(
    "path", ["https://elsewhere.test/", "//elsewhere.test/runs/1/", "/account/", "/runs/x/", "", "/\\runs/1/"]
)
def test_no_other_address_is_saved(editor, project, path):
    answer = saved(editor, project, name="odd", path=path)

    assert answer.status_code in (302, 400)
    assert not SavedView.objects.exists()


def test_a_view_gets_another_name(editor, viewer, project, run):
    saved(editor, project, name="kept", path=f"/runs/{run.pk}/", shared="on")
    address = reverse("view-rename", args=[SavedView.objects.get().pk])

    assert viewer.post(address, {"name": "taken over"}).status_code == 403
    editor.post(address, {"name": "Errors of terse"})
    assert "Errors of terse" in home(viewer, project)


def test_a_view_without_a_name_keeps_the_old_one(editor, project, run):
    saved(editor, project, name="kept", path=f"/runs/{run.pk}/")
    view = SavedView.objects.get()
    answer = editor.post(reverse("view-rename", args=[view.pk]), {"name": " "})

    assert "Rename kept" in answer.content.decode()
    view.refresh_from_db()
    assert view.name == "kept"


def test_a_deleted_view_can_come_back(editor, project, run):
    saved(editor, project, name="kept", path=f"/runs/{run.pk}/")
    view = SavedView.objects.get()
    editor.post(reverse("view-delete", args=[view.pk]))
    assert not saved_views.of_project(project, view.created_by).exists()

    editor.post(reverse("view-restore", args=[view.pk]))
    assert saved_views.of_project(project, view.created_by).exists()


def test_pages_opened_last_come_first_with_the_names_of_today(editor, project, run):
    experiment = run.experiment
    for address in (f"/experiments/{experiment.pk}/", f"/runs/{run.pk}/", f"/runs/{run.pk}/"):
        editor.get(address)
    type(run).objects.filter(pk=run.pk).update(variant="renamed since")
    page = home(editor, project)
    listed = page[page.index('id="views"') :]

    assert listed.index("renamed since") < listed.index(experiment.name)
    assert listed.count("renamed since") == 1


def opened_last(client, project) -> list[tuple[str, str]]:
    shown = client.get(reverse("project-home", args=[project.slug])).context["opened"]
    return [(page.address, page.filters) for page in shown]


def test_what_was_opened_last_and_has_no_page_any_more_is_not_listed(editor, project, run):
    experiment = run.experiment
    criteria = [{"rule": "answered", "value": 0.9}]
    gate = gates.create(project, None, "ship", gates.Plan(run, criteria))
    pages = [f"/gates/{gate.pk}/", f"/runs/{run.pk}/", f"/experiments/{experiment.pk}/"]
    for page in reversed(pages):
        editor.get(page)
    assert [address for address, _ in opened_last(editor, project)] == pages

    Dataset.objects.filter(pk=experiment.dataset_id).update(deleted_at=timezone.now())
    Experiment.objects.filter(pk=experiment.pk).update(deleted_at=timezone.now())

    assert opened_last(editor, project) == []


def test_a_page_opened_last_keeps_its_filters_until_it_is_opened_without(editor, project, run):
    page = f"/runs/{run.pk}/"

    editor.get(f"{page}?q=Oslo&row=1")
    assert opened_last(editor, project) == [(f"{page}?q=Oslo", "texts: Oslo")]
    editor.get(f"{page}?q=Rome", headers={"HX-Request": "true"})
    assert opened_last(editor, project) == [(f"{page}?q=Rome", "texts: Rome")]
    editor.get(page)
    assert opened_last(editor, project) == [(page, "")]


def test_a_part_that_comes_by_itself_is_not_opened(editor, project, run):
    editor.get(f"/experiments/{run.experiment_id}/")
    editor.get(f"/runs/{run.pk}/?q=Rome", headers={"HX-Request": "true"})

    assert opened_last(editor, project) == [(f"/experiments/{run.experiment_id}/", "")]


def test_what_is_kept_of_filters_is_bounded(editor, project, run):
    editor.get(f"/runs/{run.pk}/?q={'x' * 500}")
    assert opened_last(editor, project) == [(f"/runs/{run.pk}/", "")]

    for number in range(14):
        other = factories.scored_run(run.experiment, ["Paris"] * 3, f"run {number}")
        editor.get(f"/runs/{other.pk}/?q={'y' * 60}")
    assert len(editor.cookies[recent.COOKIE].value) <= recent.LONGEST


@pytest.mark.parametrize(
    "text", ["run-{run}~!!", "run-{run}~AAAA", "run-{run}~aHR0cHM6Ly9ldmlsCng=", "~", "run-x~."]
)
def test_a_cookie_of_anything_leads_nowhere_else(editor, project, run, text):
    editor.cookies[recent.COOKIE] = text.format(run=run.pk)

    assert [page for page, _ in opened_last(editor, project) if not page.startswith(f"/runs/{run.pk}/")] == []


def test_pages_of_another_project_are_not_offered(editor, alice, run):
    editor.get(f"/runs/{run.pk}/")

    assert 'id="views"' not in home(editor, projects.create("second", alice))


def test_a_deleted_page_is_not_offered(editor, project, run):
    editor.get(f"/runs/{run.pk}/")
    type(run).objects.filter(pk=run.pk).update(deleted_at=run.created_at)

    assert 'id="views"' not in home(editor, project)


def test_the_palette_finds_views_and_offers_what_was_opened_last(editor, viewer, project, run):
    for name, shared in (("terse alone", {}), ("terse for all", {"shared": "on"})):
        saved(editor, project, name=name, path=f"/runs/{run.pk}/?status=error", **shared)
    viewer.get(f"/runs/{run.pk}/")
    palette = reverse("palette", args=[project.slug])

    found = [(hit.name, hit.noun, hit.address) for hit in viewer.get(palette, {"q": "terse"}).context["hits"]]
    assert found[0] == ("terse for all", "saved view", f"/runs/{run.pk}/?status=error")
    assert "terse alone" not in [name for name, *_ in found]
    assert viewer.get(palette).context["hits"][0].address == f"/runs/{run.pk}/"
    assert "terse for all by " in text_of(viewer.get(palette, {"q": "terse"}))
