"""Recent filters, in a real browser."""

import re

import pytest
from playwright.sync_api import Page, expect

from evaluations.models import Experiment
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def experiment(project) -> Experiment:
    scored = factories.experiment(project, "exact_match", references=("Paris", "Rome"))
    factories.scored_run(scored, ["Paris", "Oslo"], "base")
    return scored


def test_filters_used_before_stand_in_the_palette_and_beside_the_view(
    live_server, alices_page: Page, experiment
):
    run = f"{live_server.url}/runs/{experiment.runs.get().pk}/"
    alices_page.goto(run)
    alices_page.get_by_role("link", name="Fail 1").click()
    expect(alices_page).to_have_title("base, a run of which is closer · exact match: fail · Evalsite")
    alices_page.goto(f"{run}?q=Oslo&row=2")

    alices_page.goto(run)
    alices_page.get_by_role("button", name="More", exact=True).first.click()
    here = alices_page.locator("main [data-recent] a")
    expect(here).to_have_text(["texts: Oslo", "exact match: fail"])
    alices_page.keyboard.press("Escape")
    alices_page.keyboard.press("Control+k")
    alices_page.locator("#palette [data-recent] a").nth(0).click()

    expect(alices_page).to_have_url(f"{run}?q=Oslo")
    expect(here).to_have_text(["exact match: fail"])


def test_filters_are_remembered_for_the_person_and_the_project_alone(
    live_server, alices_page: Page, as_user, dana, experiment
):
    run = f"{live_server.url}/runs/{experiment.runs.get().pk}/"
    alices_page.goto(f"{run}?q=Oslo")
    [session] = [cookie for name, cookie in as_user(dana).cookies.items() if name.startswith("session")]
    alices_page.context.add_cookies([{"name": session.key, "value": session.value, "url": live_server.url}])

    alices_page.goto(run)
    alices_page.get_by_role("button", name="More", exact=True).first.click()

    expect(alices_page.locator("[data-recent] a")).to_have_count(0)


def test_back_shows_the_choices_of_the_address_and_not_those_made_before_leaving(
    live_server, alices_page: Page, experiment
):
    experiments = f"{live_server.url}/p/default/experiments/"
    alices_page.goto(experiments)
    alices_page.get_by_label("State").select_option(index=1)
    expect(alices_page).to_have_url(re.compile("state="), timeout=10_000)
    alices_page.goto(f"{live_server.url}/p/default/datasets/")
    alices_page.go_back()
    alices_page.go_back()

    expect(alices_page).to_have_url(experiments)
    expect(alices_page.get_by_label("State")).to_have_value("")
