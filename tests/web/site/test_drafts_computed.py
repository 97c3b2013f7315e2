"""What a page computes from a form is computed again when the form comes back as it was typed."""

import pytest
from playwright.sync_api import Page, expect

from evaluations.datasets import datasets
from evaluations.prompts import prompts
from tests import factories

from .test_typed_texts import sign_out, wait_until_kept

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]


def kept_after_reload(page: Page) -> None:
    wait_until_kept(page)
    page.wait_for_timeout(600)
    page.reload()
    expect(page.locator("#typed-before")).to_contain_text("not saved yet")


def call_count(page: Page):
    return page.locator("#estimate dd").nth(1)


def test_the_estimate_is_that_of_the_restored_dataset(alices_page, live_server, project, alice, settings):
    rows = [{"inputs": {"question": f"q{n}"}, "reference": {"answer": f"yes {n}"}} for n in range(70)]
    large = datasets.create(project, alice, "large", rows)
    datasets.create(project, alice, "small", rows[:6])
    project.default_connection = factories.connection(project, settings)
    project.save()
    prompt = factories.prompt(project, "Solve {{ question }}")
    version = prompts.version_of(prompt).pk
    chosen = f"row={version}&model=small-one&variants={version}:small-one"
    alices_page.goto(f"{live_server.url}/p/{project.slug}/launches/new/?{chosen}")
    alices_page.locator("[name=dataset]").select_option(str(large.pk))
    expect(call_count(alices_page)).to_have_text("70")
    expect(alices_page.locator("[name=advised_for]")).to_have_attribute("value", str(large.pk))

    kept_after_reload(alices_page)

    assert alices_page.locator("[name=dataset]").input_value() == str(large.pk)
    expect(call_count(alices_page)).to_have_text("70")
    expect(alices_page.locator("[name=advised_for]")).to_have_value(str(large.pk))


def test_the_sentence_of_a_gate_is_that_of_its_restored_fields(alices_page, live_server, project):
    experiment = factories.experiment(project)
    for variant in ("one", "two"):
        factories.scored_run(experiment, variant=variant)
    alices_page.goto(f"{live_server.url}/p/{project.slug}/gates/new/")
    number = alices_page.locator(".gate-limit input").first
    before = number.input_value()
    number.fill("37")
    expect(alices_page.locator("form.gate-form")).to_contain_text("37")

    kept_after_reload(alices_page)

    assert alices_page.locator(".gate-limit input").first.input_value() == "37" != before
    expect(alices_page.locator("form.gate-form")).to_contain_text("37")


def test_the_panel_of_people_is_that_of_the_restored_fields(alices_page, live_server, project):
    experiment = factories.experiment(project)
    factories.scored_run(experiment, variant="one")
    alices_page.goto(f"{live_server.url}/experiments/{experiment.pk}/people/")
    alices_page.locator("[name=size]").fill("1")
    alices_page.locator("[name=raters]").fill("3")
    labels = alices_page.locator("#gain dd").nth(2)
    before = labels.inner_text()

    kept_after_reload(alices_page)

    expect(labels).not_to_have_text(before)


def test_a_comment_on_a_row_opened_by_a_click_comes_back(alices_page, live_server, project):
    run = factories.scored_run(factories.experiment(project), variant="terse")
    alices_page.goto(f"{live_server.url}/runs/{run.pk}/")
    alices_page.locator("a[href*='row=']").first.click()
    alices_page.wait_for_url("**row=**")
    alices_page.locator(".comments textarea").fill("half a remark")

    kept_after_reload(alices_page)

    assert alices_page.locator(".comments textarea").input_value() == "half a remark"


def test_sign_in_says_that_what_was_typed_is_kept(alices_page, live_server, project):
    run = factories.scored_run(factories.experiment(project), variant="terse")
    alices_page.goto(f"{live_server.url}/runs/{run.pk}/about/")
    alices_page.route(
        "**/account/signed-in/", lambda route: route.fulfill(status=200)
    )  # it ends after the page has asked
    sign_out(alices_page)
    alices_page.locator("[name=notes]").fill("a whole thought")
    alices_page.get_by_role("button", name="Save", exact=True).click()
    alices_page.wait_for_url("**/signin/**")

    expect(alices_page.locator("#signed-out")).to_contain_text("What you typed is kept")


def test_a_saved_comment_does_not_come_back(alices_page, live_server, project):
    run = factories.scored_run(factories.experiment(project), variant="terse")
    alices_page.goto(f"{live_server.url}/runs/{run.pk}/")
    alices_page.locator("a[href*='row=']").first.click()
    alices_page.wait_for_url("**row=**")
    alices_page.locator(".comments textarea").fill("a whole remark")
    wait_until_kept(alices_page)
    alices_page.reload()
    expect(alices_page.locator("#typed-before")).to_contain_text("not saved yet")
    alices_page.get_by_role("button", name="Comment", exact=True).click()
    expect(alices_page.locator(".comments p").first).to_have_text("a whole remark")
    expect(alices_page.locator("#typed-before")).to_be_hidden()

    alices_page.reload()

    expect(alices_page.locator(".comments textarea")).to_have_value("")


def test_a_comment_that_came_back_and_is_saved_is_not_called_unsaved(alices_page, live_server, project):
    run = factories.scored_run(factories.experiment(project), variant="terse")
    alices_page.goto(f"{live_server.url}/runs/{run.pk}/?row=1")
    alices_page.locator(".comments textarea").fill("half a remark")
    wait_until_kept(alices_page)
    alices_page.reload()
    expect(alices_page.locator("#typed-before")).to_be_visible()

    alices_page.get_by_role("button", name="Comment", exact=True).click()

    expect(alices_page.locator(".comments p").first).to_have_text("half a remark")
    expect(alices_page.locator("#typed-before")).to_be_hidden()


def test_an_estimate_that_is_refused_does_not_make_a_form_unsent(alices_page, live_server, project):
    factories.prompt(project, "Solve {{ question }}")
    alices_page.goto(f"{live_server.url}/p/default/launches/new/")

    kept = alices_page.evaluate(
        """() => ["change", "submit"].map((type) => {
            sessionStorage.setItem("typed-sent", "{}");
            const detail = { xhr: { status: 401 }, requestConfig: { triggeringEvent: { type } } };
            document.dispatchEvent(new CustomEvent("htmx:responseError", { detail }));
            return sessionStorage.getItem("typed-sent") !== null;
        })"""
    )

    assert kept == [True, False]
