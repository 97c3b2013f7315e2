"""Menus in the width of a phone."""

import pytest
from playwright.sync_api import Page

from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_menu_at_the_end_of_a_bar_is_as_wide_as_its_entries(live_server, alices_page: Page, project):
    experiment = factories.experiment(project)
    experiment.name = "Do our new rules in the prompt help?"
    experiment.save()
    factories.scored_run(experiment)
    alices_page.set_viewport_size({"width": 400, "height": 720})
    alices_page.goto(f"{live_server.url}/p/{project.slug}/tasks/?q=rules")

    alices_page.get_by_role("button", name="Ask people").click()
    entry = alices_page.locator("#ask-about .two-lines").bounding_box()
    menu = alices_page.locator("#ask-about").bounding_box()

    assert entry
    assert entry["height"] < 30
    assert menu
    assert menu["x"] >= 0
    assert menu["x"] + menu["width"] <= 400
