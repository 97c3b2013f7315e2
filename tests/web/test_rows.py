"""Lists of rows in a browser: keys that walk open examples, pages that begin at their head, rows that open."""

import pytest
from playwright.sync_api import Page, expect

from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)
MANY = [f"answer {n}" for n in range(60)]


@pytest.fixture
def run(project):
    return factories.scored_run(factories.experiment(project, references=MANY), MANY)


def test_the_key_of_the_next_example_works_where_every_example_has_a_strip_of_scores(
    live_server, alices_page: Page, project
):
    experiment = factories.experiment(project, references=("a", "b", "c"))
    for name in ("one", "two", "three"):
        factories.scored_run(experiment, ("a", "b", "c"), name)
    alices_page.goto(f"{live_server.url}/experiments/{experiment.pk}/?order=position&open=2")

    alices_page.keyboard.press("]")

    expect(alices_page.locator("#e3[aria-current=true]")).to_be_visible()
    alices_page.keyboard.press("[")
    expect(alices_page.locator("#e2[aria-current=true]")).to_be_visible()
    expect(alices_page.locator("#e2 :focus")).to_have_count(1)


def test_the_next_page_of_a_list_begins_at_its_head(live_server, alices_page: Page, run):
    alices_page.set_viewport_size({"width": 1280, "height": 700})
    alices_page.goto(f"{live_server.url}/runs/{run.pk}/?order=file")

    alices_page.get_by_role("link", name="Next", exact=True).click()

    expect(alices_page.get_by_text("51 to 60 of 60")).to_be_attached()
    expect(alices_page.locator("tbody tr").first).to_be_in_viewport()
    expect(alices_page.get_by_role("status").filter(has_text="51 to 60")).to_be_attached()


def test_a_row_opens_wherever_it_is_pressed_and_a_text_can_be_marked(live_server, alices_page: Page, run):
    alices_page.goto(f"{live_server.url}/runs/{run.pk}/?order=file")
    output = alices_page.locator("tbody tr").nth(3).locator("td").nth(2)

    output.dblclick()
    expect(alices_page.locator(".drawer")).to_be_visible()


def test_a_menu_that_is_open_is_not_closed_by_what_is_polled(live_server, alices_page: Page, run):
    alices_page.goto(f"{live_server.url}/runs/{run.pk}/")
    alices_page.evaluate("""() => {
      const live = document.getElementById("live");
      live.setAttribute("hx-get", "");
      live.setAttribute("hx-trigger", "every 100ms");
      live.setAttribute("hx-swap", "outerHTML");
      htmx.process(live);
    }""")
    alices_page.get_by_role("button", name="Export").click()

    with alices_page.expect_response(lambda answer: f"/runs/{run.pk}/" in answer.url):
        pass

    alices_page.wait_for_timeout(300)
    expect(alices_page.get_by_role("link", name="CSV").first).to_be_visible()
