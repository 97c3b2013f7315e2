"""The list of keys names those that work on the page where it is opened."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    ("path", "works", "idle"),
    [
        ("/p/default/datasets/", "Next or previous row", "Open or close the guideline"),
        ("/p/default/tasks/", "Experiments", "Compare"),
    ],
)
def test_the_list_of_keys_has_those_that_work_on_this_page(
    alices_page, live_server, dataset, path, works, idle
):
    alices_page.goto(f"{live_server.url}{path}")
    alices_page.keyboard.press("?")
    keys = alices_page.get_by_role("dialog", name="Keyboard")

    expect(keys.get_by_text(works)).to_be_visible()
    expect(keys.get_by_text(idle)).to_be_hidden()


def test_a_page_without_keys_of_its_own_has_no_part_for_them(alices_page, live_server):
    alices_page.goto(f"{live_server.url}/account/")
    alices_page.get_by_role("link", name="Keyboard").click()
    keys = alices_page.get_by_role("dialog", name="Keyboard")

    expect(keys.get_by_role("heading", name="Everywhere")).to_be_visible()
    expect(keys.get_by_role("heading", name="On this page")).to_be_hidden()
