"""An upload that is cancelled while it is sent says so, and its form is no longer busy."""

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]


def test_a_cancelled_upload_is_announced_and_its_form_is_free_again(alices_page, live_server, project):
    alices_page.goto(f"{live_server.url}/p/{project.slug}/datasets/upload/")
    held = []
    alices_page.route("**/upload/", lambda route: held.append(route))
    form, send = alices_page.locator("#upload"), alices_page.locator("[data-send]")

    alices_page.locator("#id_text").fill("question,answer\nWhere?,here\n")
    send.click()
    expect(form).to_have_attribute("aria-busy", "true")
    alices_page.locator("[data-cancel]").click()

    expect(alices_page.locator("#said")).to_have_text("The upload was cancelled. Nothing was kept.")
    expect(form).not_to_have_attribute("aria-busy", "true")
    expect(send).to_be_enabled()
    assert held
