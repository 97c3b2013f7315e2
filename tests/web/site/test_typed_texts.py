"""What is typed survives the end of a session, and a second tab."""

import pytest
from playwright.sync_api import Page, expect

from evaluations.errors import Conflict
from evaluations.evaluators import evaluators
from evaluations.prompts import prompts
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)


def sign_out(page: Page) -> list[dict]:
    """Remove the cookie of the session; returns it."""
    cookies = page.context.cookies()
    session = [cookie for cookie in cookies if "session" in cookie["name"]]
    page.context.clear_cookies()
    page.context.add_cookies([cookie for cookie in cookies if cookie not in session])
    return session


def test_a_draft_after_the_session_ended_stays_on_the_page(alices_page, live_server, project):
    prompt = factories.prompt(project, "Solve {{ question }}")
    alices_page.goto(f"{live_server.url}/prompts/{prompt.pk}/")
    sign_out(alices_page)

    alices_page.locator("textarea[name=content]").first.press_sequentially(" at once")

    expect(alices_page.locator("#trouble")).to_contain_text("You are signed out")
    assert " at once" in alices_page.locator("textarea[name=content]").first.input_value()
    assert alices_page.url.endswith(f"/prompts/{prompt.pk}/")


def test_a_form_sent_after_the_session_ended_comes_back_filled(alices_page, live_server, project):
    evaluator = factories.evaluator(project, "contains", "has it")
    address = f"{live_server.url}/evaluators/{evaluator.pk}/"
    alices_page.goto(address)
    session = sign_out(alices_page)
    alices_page.locator("#editor [name=name]").fill("has it now")
    alices_page.locator("#editor [value=save]").click()
    alices_page.wait_for_url("**/signin/**")

    alices_page.context.add_cookies(session)
    alices_page.goto(address)

    expect(alices_page.locator("#trouble")).to_contain_text("not saved yet")
    assert alices_page.locator("#editor [name=name]").input_value() == "has it now"


def newest_of(html: str) -> str:
    return html.split('name="newest"')[1].split('value="')[1].split('"')[0]


def test_a_second_tab_does_not_save_over_the_first(alices, alice, project):
    evaluator = factories.evaluator(project, "levenshtein_similarity", "near")
    first = int(newest_of(alices.get(f"/evaluators/{evaluator.pk}/").content.decode()))
    evaluators.change(evaluator, alice, config={"case_sensitive": True})

    with pytest.raises(Conflict, match="v2 of near was saved in the meantime"):
        evaluators.change(evaluator, alice, config={}, newest_was=first)


def test_a_prompt_saved_meanwhile_is_not_saved_over(alices, alice, project):
    prompt = factories.prompt(project, "Solve {{ question }}")
    first = newest_of(alices.get(f"/prompts/{prompt.pk}/").content.decode())
    changed = prompts.Content([{"role": "user", "content": "Add"}])
    prompts.change(prompt, alice, prompt.name, changed)

    form = {
        "name": prompt.name,
        "newest": first,
        "do": "save",
        "role": "user",
        "as": "text",
        "content": "Sum",
    }
    refused = alices.post(f"/prompts/{prompt.pk}/", form)

    prompt.refresh_from_db()
    assert (refused.status_code, prompt.version) == (409, 2)
    assert "was saved in the meantime" in refused.content.decode()
