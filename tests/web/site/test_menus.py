"""Menus: their main button is as black as that of a page."""

import pytest
from playwright.sync_api import expect

from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_button_that_saves_a_view_is_no_white_words_on_white(alices_page, live_server, project):
    run = factories.scored_run(factories.experiment(project))
    alices_page.goto(f"{live_server.url}/runs/{run.pk}/")
    alices_page.get_by_role("button", name="More", exact=True).first.click()
    alices_page.get_by_text("Save view…").click()

    save = alices_page.locator("form[action$='/views/'] button")
    drawn = save.evaluate(
        "button => [getComputedStyle(button).color, getComputedStyle(button).backgroundColor]"
    )

    expect(save).to_be_visible()
    assert drawn[0] != drawn[1]
    assert drawn[1] != "rgba(0, 0, 0, 0)"
