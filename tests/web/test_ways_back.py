"""No page is a dead end: refusals link back, and the navigation stays."""

import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page

from tests import factories
from tests.pages import markup

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("query", ["", "?runs=1"])
def test_comparing_fewer_than_two_runs_leads_back_with_a_message(alices, project, query):
    page = f"/experiments/{factories.experiment(project).pk}/"

    answer = alices.get(f"/compare/{query}", headers={"Referer": f"http://testserver{page}?order=gain"})

    assert answer.url == f"{page}?order=gain"
    assert 'data-level="error"' in markup(alices.get(page))


@pytest.mark.parametrize(
    ("referer", "address"),
    [
        ("http://testserver/p/default/datasets/?q=a", "/p/default/datasets/?q=a"),
        ("https://elsewhere.example/x", "/"),
        ("", "/"),
    ],
)
def test_a_refusal_leads_to_the_page_before_if_it_is_ours(alices, project, referer, address):
    page = markup(alices.get("/workers/", headers={"Referer": referer}))

    assert f'<a class="button button-main" href="{address}">' in page


def test_pages_of_the_site_keep_the_navigation_of_the_last_project(client, project):
    client.force_login(User.objects.create_superuser("root"))
    client.get(f"/p/{project.slug}/")

    assert f'href="/p/{project.slug}/datasets/"' in markup(client.get("/workers/"))


def test_a_project_that_was_left_is_not_in_the_navigation(alices, project, alice):
    alices.get(f"/p/{project.slug}/")
    project.memberships.filter(user=alice).delete()

    assert "<nav" not in markup(alices.get("/account/"))


def test_the_palette_offers_actions_by_role(alices, as_user, dana, project):
    address = f"/p/{project.slug}/search/?q=new"

    assert f'href="/p/{project.slug}/evaluators/new/"' in markup(alices.get(address))
    assert f'href="/p/{project.slug}/evaluators/new/"' not in markup(as_user(dana).get(address))


@pytest.mark.django_db(transaction=True)
def test_back_from_a_new_experiment_leads_to_where_one_came_from(live_server, alices_page: Page, project):
    factories.dataset(project)
    page, listed = alices_page, f"{live_server.url}/p/default/experiments/"
    page.goto(listed)
    page.goto(f"{listed}new/")
    page.get_by_label("Name").fill("Is it better?")
    page.get_by_role("button", name="Create experiment").click()
    page.wait_for_url(re.compile(r"/experiments/\d+/$"))

    page.go_back()
    page.wait_for_url(listed)
    page.goto(f"{listed}new/")
    assert page.get_by_label("Name").input_value() == ""
    page.goto(listed)
    page.go_back()

    assert page.url == f"{listed}new/"  # of which nothing was made
