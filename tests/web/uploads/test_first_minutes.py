"""From the sign-in link to a confirmed upload, in a real browser."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from evaluations.access import signin_links
from evaluations.imports import imports
from evaluations.models import Import, Run

pytestmark = pytest.mark.django_db(transaction=True)

CSV = "question,answer,short\n2+2?,It is four.,4\n3+3?,It is six.,6\n"


def test_a_link_and_three_steps_lead_to_a_dataset_with_a_run(
    live_server, page: Page, alice, project, tmp_path
):
    problems = []
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    file = tmp_path / "sums.csv"
    file.write_text(CSV)

    page.goto(live_server.url + reverse("signin-link", args=[signin_links.make_signin_link(alice)]))
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Upload a file").click()
    page.get_by_label("A file").set_input_files(file)
    page.get_by_role("button", name="Next: columns").click()
    page.get_by_label("Role of column short").select_option("output")
    page.get_by_label("Name of the variant in short").fill("one word")
    page.get_by_text("Read as:").click()
    page.get_by_label("Delimiter").select_option(";")
    expect(page.locator("th .name")).to_have_count(1)
    page.get_by_label("Delimiter").select_option(",")
    expect(page.get_by_label("Role of column short")).to_have_value("output")
    page.get_by_role("button", name="Next: confirm").click()
    page.locator("summary").filter(has_text="Name:").click()
    page.get_by_label("Name", exact=True).fill("Sums")
    page.get_by_role("button", name="Create dataset and experiment").click()
    expect(page.get_by_text("Waiting for a worker")).to_be_visible()
    imports.run_import(Import.objects.get().pk)

    run = Run.objects.get()
    expect(page.get_by_text("Waiting for a worker")).to_be_hidden(timeout=30_000)
    assert (run.variant, run.output_count) == ("one word", 2)
    assert problems == []
