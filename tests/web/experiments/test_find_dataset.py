"""A long list of datasets is searched by a field that a script adds; without it stays a plain select."""

import pytest
from playwright.sync_api import expect

from evaluations.datasets import datasets

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_dataset_of_a_long_list_is_found_by_words(alices_page, live_server, project):
    for number in range(20):
        datasets.create(project, None, f"Nightly {number}", [{"inputs": {"q": "a"}}])
    wanted = datasets.create(project, None, "Refund answers", [{"inputs": {"q": "a"}}])
    datasets.create(project, None, "Nightly last", [{"inputs": {"q": "a"}}])
    alices_page.goto(f"{live_server.url}/p/{project.slug}/experiments/new/")

    alices_page.get_by_role("searchbox", name="Find a dataset").fill("answers refund")

    select = alices_page.get_by_label("Dataset", exact=True)
    expect(select.locator("option")).to_have_text(["Nightly last", "Refund answers"])
    alices_page.keyboard.press("Enter")
    expect(select).to_have_value(str(wanted.pk))
    expect(select.locator("option")).to_have_count(22)
