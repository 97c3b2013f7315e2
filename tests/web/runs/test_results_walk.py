"""Reading results by keyboard and by clicking numbers, in a real browser."""

import re

import pytest
from playwright.sync_api import Page, expect

from evaluations.models import Run
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)
REFERENCES = ("Paris", "Rome", "Oslo", "Bern")


@pytest.fixture
def problems(page: Page) -> list[str]:
    """The browser's errors: those of scripts, and everything that the Content-Security-Policy blocks."""
    messages: list[str] = []
    page.on("console", lambda message: messages.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: messages.append(str(error)))
    return messages


@pytest.fixture
def experiment(project):
    new_experiment = factories.experiment(
        project, "levenshtein_similarity", "exact_match", references=REFERENCES
    )
    factories.scored_run(new_experiment, REFERENCES, "base")
    factories.scored_run(new_experiment, ("Par", "Rome", "XXXX", "Bern"), "terse")
    return new_experiment


def test_a_run_is_read_with_the_keyboard_alone(live_server, alices_page, experiment, problems):
    page = alices_page
    page.goto(f"{live_server.url}/runs/{experiment.runs.get(variant='terse').pk}/")

    page.keyboard.press("j")
    expect(page.get_by_role("link", name="k3", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="k3")).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?row=3$"))
    expect(page.get_by_role("link", name="k3", exact=True)).to_be_focused()
    page.keyboard.press("]")
    expect(page.get_by_role("heading", name="k1")).to_be_visible()
    page.keyboard.press("[")
    expect(page.get_by_role("heading", name="k3")).to_be_visible()
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("Escape")
    expect(page.get_by_role("complementary")).to_have_count(0)
    page.go_back()
    expect(page.get_by_role("heading", name="k3")).to_be_visible()
    page.wait_for_load_state()  # Back loads the page anew; keys work when its scripts have run.
    page.keyboard.press("c")
    expect(page.get_by_role("link", name="With “base”")).to_be_visible()
    assert problems == []


@pytest.mark.parametrize("address", ["experiments/{experiment}/", "runs/{run}/"])
def test_a_search_outlives_the_refreshes_of_a_page_in_progress(live_server, alices_page, experiment, address):
    page, run = alices_page, experiment.runs.get(variant="terse")
    Run.objects.filter(pk=run.pk).update(status=Run.Status.RUNNING)
    page.goto(f"{live_server.url}/{address.format(experiment=experiment.pk, run=run.pk)}")
    page.get_by_role("searchbox").fill("Oslo")
    page.keyboard.press("Enter")
    expect(page.locator("#examples tbody tr")).to_have_count(1)

    with page.expect_response(
        lambda answer: answer.request.headers.get("hx-target") == "examples"
    ) as refreshed:
        Run.objects.filter(pk=run.pk).update(status=Run.Status.COMPLETED)

    assert "q=Oslo" in refreshed.value.url
    expect(page.locator("#examples tbody tr")).to_have_count(1)


def test_a_click_on_the_losses_shows_them(live_server, alices_page, experiment, problems):
    page = alices_page
    page.goto(f"{live_server.url}/experiments/{experiment.pk}/")

    page.locator(".outcomes .worse").first.click()

    expect(page.locator(".comparison a.id")).to_have_text(["k3", "k1"])
    page.get_by_role("link", name="Better 0").click()
    expect(page.get_by_text("No examples match.")).to_be_visible()
    page.get_by_role("link", name="All 4").click()
    expect(page.locator(".comparison a.id")).to_have_count(4)
    page.locator("select[name=evaluator]").select_option(label="exact match")
    expect(page.get_by_text("by exact match").first).to_be_attached()
    page.get_by_role("searchbox", name="Find in texts").fill("XXXX")
    page.keyboard.press("Enter")
    expect(page.locator(".comparison a.id")).to_have_text(["k3"])
    page.keyboard.press("Escape")
    page.locator(".comparison a.id").click()
    page.get_by_text("Why this score").last.click()
    expect(page.locator(".explained.here[open] .why")).to_contain_text("First difference at character")
    expect(page).to_have_url(re.compile("/experiments/"))
    assert problems == []


def test_a_run_that_ends_shows_its_averages_by_itself(
    live_server, alices_page, project, experiment, problems
):
    page = alices_page
    going = factories.run(experiment, REFERENCES, "late")
    page.goto(f"{live_server.url}/runs/{going.pk}/")
    expect(page.get_by_text("waiting for a worker")).to_be_visible()

    while factories.scoring.work(10):
        pass

    expect(page.get_by_text("completed")).to_be_visible(timeout=30_000)
    expect(page.locator(".rows a.id")).to_have_count(4)
    expect(page.locator("[hx-trigger^=every]")).to_have_count(0)
    assert problems == []


def test_a_long_search_says_so_until_it_is_done(live_server, alices_page, experiment, problems):
    run = experiment.runs.get(variant="base")
    alices_page.goto(f"{live_server.url}/runs/{run.pk}/")
    routes = []
    alices_page.route(re.compile("q=Oslo"), lambda route: routes.append(route))

    alices_page.get_by_label("Find in texts").fill("Oslo")
    alices_page.get_by_label("Find in texts").press("Enter")

    expect(alices_page.locator("form[data-searching]")).to_be_visible()
    expect(alices_page.locator("#said")).to_have_text("Searching")
    routes[0].continue_()
    expect(alices_page.locator("form[data-searching]")).to_have_count(0)
    expect(alices_page.get_by_role("status").filter(has_text="1 example")).to_have_count(1)
    assert problems == []


def test_brackets_step_through_examples_while_one_is_open(
    live_server, alices_page, experiment, problems, monkeypatch
):
    """The list has pages here; the same keys turn them while no example is open."""
    monkeypatch.setattr("evaluations.web.runs.rows.SIZE", 2)
    page = alices_page
    page.goto(f"{live_server.url}/runs/{experiment.runs.get(variant='terse').pk}/?row=3")

    page.keyboard.press("]")

    expect(page.get_by_role("heading", name="k1")).to_be_visible()
    assert problems == []


def test_one_escape_closes_the_search(live_server, alices_page, experiment, problems):
    page = alices_page
    page.goto(f"{live_server.url}/p/default/datasets/")
    page.keyboard.press("Control+k")
    page.get_by_role("searchbox", name="Search").fill("terse")
    expect(page.get_by_role("link", name="terse")).to_be_visible()

    page.keyboard.press("Escape")

    expect(page.locator("#palette")).to_be_hidden()
    assert problems == []
