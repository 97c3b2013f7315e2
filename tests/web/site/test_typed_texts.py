"""What is typed survives the end of a session, and a second tab."""

import re

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Page, Route, expect

from evaluations import owned
from evaluations.errors import Conflict
from evaluations.evaluators import evaluators
from evaluations.models import Membership, PromptDraft, Role
from evaluations.prompts import drafts, prompts
from tests import factories
from tests.pages import compact
from tests.processes import wait_until

pytestmark = pytest.mark.django_db(transaction=True)


def sign_out(page: Page) -> list[dict]:
    """Remove the cookie of the session; returns it."""
    cookies = page.context.cookies()
    session = [cookie for cookie in cookies if "session" in cookie["name"]]
    page.context.clear_cookies()
    page.context.add_cookies([cookie for cookie in cookies if cookie not in session])
    return session


@pytest.mark.long
def test_a_draft_after_the_session_ended_stays_on_the_page(alices_page, live_server, project):
    prompt = factories.prompt(project, "Solve {{ question }}")
    alices_page.goto(f"{live_server.url}/prompts/{prompt.pk}/")
    sign_out(alices_page)

    alices_page.locator("textarea[name=content]").first.press_sequentially(" at once")

    expect(alices_page.locator("#trouble")).to_contain_text("You are signed out")
    assert " at once" in alices_page.locator("textarea[name=content]").first.input_value()
    assert alices_page.url.endswith(f"/prompts/{prompt.pk}/")


@pytest.mark.long
def test_without_any_cookie_a_page_offers_to_sign_in_and_then_goes_on(alices_page, live_server, project):
    prompt = factories.prompt(project, "Solve {{ question }}")
    alices_page.goto(f"{live_server.url}/prompts/{prompt.pk}/")
    cookies = alices_page.context.cookies()
    alices_page.context.clear_cookies()
    text = alices_page.locator("textarea[name=content]").first
    text.press_sequentially(" at once")

    trouble = alices_page.locator("#trouble")
    expect(trouble).to_contain_text("You are signed out. What you typed stays here.")
    expect(trouble.get_by_role("link")).to_have_text(["Sign in (opens a tab)"])

    alices_page.context.add_cookies(cookies)
    alices_page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(trouble).to_be_hidden()


def sign_in_again(page: Page, cookies: list[dict]) -> None:
    """As signing in does: the session, and another secret for the tokens of forms."""
    secret = "".join(
        reversed(next(one["value"] for one in cookies if one["name"] == settings.CSRF_COOKIE_NAME))
    )
    page.context.add_cookies(
        [one | {"value": secret} if one["name"] == settings.CSRF_COOKIE_NAME else one for one in cookies]
    )


@pytest.mark.long
@pytest.mark.parametrize("happens", ["focus", "visibilitychange", "typing"])
def test_a_page_takes_the_tokens_of_a_new_session_and_keeps_what_was_typed_meanwhile(
    alices_page, live_server, alice, project, happens
):
    prompt = factories.prompt(project, "Solve {{ question }}")
    alices_page.goto(f"{live_server.url}/prompts/{prompt.pk}/")
    cookies = alices_page.context.cookies()
    sign_out(alices_page)
    text, trouble = alices_page.locator("textarea[name=content]").first, alices_page.locator("#trouble")
    text.press_sequentially(" at once")
    expect(trouble).to_contain_text("You are signed out.")

    sign_in_again(alices_page, cookies)
    if happens == "typing":  # as in a window beside the one in which one signed in
        text.press_sequentially(", please")
    else:
        alices_page.evaluate(f"dispatchEvent(new Event('{happens}', {{bubbles: true}}))")
        alices_page.evaluate(f"document.dispatchEvent(new Event('{happens}'))")

    expect(alices_page.locator("#saved")).to_have_text("draft saved")
    expect(trouble).to_be_hidden()
    assert " at once" in str(drafts.of_user(prompt, alice).form)


@pytest.mark.long
def test_what_is_refused_while_new_tokens_are_fetched_waits_for_them(
    alices_page, live_server, alice, project
):
    prompt = factories.prompt(project, "Solve {{ question }}")
    editor = f"{live_server.url}/prompts/{prompt.pk}/"
    alices_page.goto(editor)
    cookies = alices_page.context.cookies()
    sign_out(alices_page)
    text, trouble = alices_page.locator("textarea[name=content]").first, alices_page.locator("#trouble")
    text.press_sequentially(" at once")
    expect(trouble).to_contain_text("You are signed out.")
    sign_in_again(alices_page, cookies)
    held: list[Route] = []
    alices_page.route(
        editor,
        lambda route: held.append(route) if route.request.method == "GET" else route.continue_(),
    )

    alices_page.evaluate("dispatchEvent(new Event('focus'))")
    with alices_page.expect_response(lambda answer: answer.status == 403):
        text.press_sequentially(", please")
    alices_page.evaluate("new Promise((done) => setTimeout(done, 200))")  # what the page says of the answer
    told = trouble.inner_text()
    held[0].continue_()

    assert "refused" not in told
    expect(alices_page.locator("#saved")).to_have_text("draft saved")
    expect(trouble).to_be_hidden()
    assert ", please" in str(drafts.of_user(prompt, alice).form)


@pytest.mark.long
def test_a_request_that_is_refused_again_says_so(alices_page, live_server, alice, project):
    prompt = factories.prompt(project, "Solve {{ question }}")
    alices_page.goto(f"{live_server.url}/prompts/{prompt.pk}/")
    Membership.objects.filter(user=alice).update(role=Role.VIEWER)

    alices_page.locator("textarea[name=content]").first.press_sequentially(" at once")

    expect(alices_page.locator("#trouble")).to_contain_text("The server refused the request (403).")


@pytest.mark.long
def test_the_last_words_before_one_leaves_are_in_the_draft(alices_page, live_server, alice, project):
    prompt = factories.prompt(project, "Solve {{ question }}")
    for address in (f"/prompts/{prompt.pk}/", f"/prompts/{prompt.pk}/bench/"):
        alices_page.goto(f"{live_server.url}{address}")

        alices_page.locator("textarea.template-text").first.press_sequentially(" at once")
        alices_page.goto(f"{live_server.url}/p/default/datasets/")

        stored = PromptDraft.objects.filter(prompt=prompt, user=alice, is_bench=address.endswith("bench/"))
        wait_until(stored.exists, f"the draft of {address}")
        assert " at once" in str(stored.get().form)


@pytest.mark.long
def test_what_a_refused_page_had_and_its_draft_lacks_comes_back_by_any_way(alices_page, live_server, project):
    prompt = factories.prompt(project, "Solve {{ question }}")
    editor = f"{live_server.url}/prompts/{prompt.pk}/"
    alices_page.goto(editor)
    alices_page.route("**/draft/", lambda route: route.abort())
    text = alices_page.locator("textarea[name=content]").first
    text.fill("Solve {{ question }} at once")
    sign_in_again(alices_page, alices_page.context.cookies())

    alices_page.locator("button[value=save]").last.click()
    expect(alices_page.locator("h1")).to_have_text("The form is out of date")
    alices_page.wait_for_load_state()  # its scripts run after its heading is there
    alices_page.goto(f"{live_server.url}/p/default/datasets/")
    alices_page.goto(editor)

    expect(text).to_have_value("Solve {{ question }} at once")
    expect(alices_page.locator("#typed-before")).to_contain_text("What you typed before is here again")


def test_a_part_asked_for_without_cookies_answers_that_one_is_signed_out(project):
    strict = Client(enforce_csrf_checks=True)

    assert strict.post("/p/default/prompts/new/", headers={"HX-Request": "true"}).status_code == 401
    assert strict.post("/p/default/prompts/new/").status_code == 403


@pytest.mark.long
@pytest.mark.parametrize(
    ("address", "field"),
    [
        ("/evaluators/{evaluator}/", "#editor [name=name]"),
        ("/runs/{run}/about/", "[name=notes]"),
        ("/datasets/{dataset}/examples/1/edit/", "main form textarea"),
        ("/p/default/experiments/new/", "main form [name=name]"),
    ],
)
def test_a_form_sent_after_the_session_ended_stays_on_its_page(
    alices_page, live_server, project, address, field
):
    run = factories.scored_run(factories.experiment(project), variant="terse")
    evaluator = factories.evaluator(project, "contains", "has it")
    ids = {"run": run.pk, "evaluator": evaluator.pk, "dataset": run.experiment.dataset_id}
    page = f"{live_server.url}{address.format(**ids)}"
    alices_page.goto(page)
    session = sign_out(alices_page)
    typed = alices_page.locator(field).first
    typed.fill("a whole thought")
    save = typed.locator("xpath=ancestor::form").locator("button.button-main, button[value=save]").last

    save.click()
    trouble = alices_page.locator("#trouble")
    expect(trouble).to_contain_text("You are signed out. What you typed stays here.")
    assert (alices_page.url, typed.input_value()) == (page, "a whole thought")

    alices_page.context.add_cookies(session)
    alices_page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(trouble).to_be_hidden()
    save.click()
    alices_page.wait_for_url(lambda url: url != page or address.startswith("/evaluators"))


@pytest.mark.long
def test_a_form_that_arrives_after_the_session_ended_comes_back_filled(alices_page, live_server, project):
    """As when the session ends between the question and the form."""
    evaluator = factories.evaluator(project, "contains", "has it")
    address = f"{live_server.url}/evaluators/{evaluator.pk}/"
    alices_page.goto(address)
    alices_page.route("**/account/signed-in/", lambda route: route.fulfill(status=200))
    session = sign_out(alices_page)
    alices_page.locator("#editor [name=name]").fill("has it now")
    alices_page.locator("#editor [value=save]").click()
    alices_page.wait_for_url("**/signin/**")

    alices_page.context.add_cookies(session)
    alices_page.goto(address)

    expect(alices_page.locator("#typed-before")).to_contain_text("not saved yet")
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


def test_a_prompt_renamed_meanwhile_is_not_renamed_unseen(alices, alice, project):
    prompt = factories.prompt(project, "Sum")
    page = alices.get(f"/prompts/{prompt.pk}/").content.decode()
    form = {"newest": newest_of(page), "name_was": prompt.name, "do": "save"}
    form |= {"role": "user", "as": "text", "content": "Sum"}
    assert f'name="name_was" value="{prompt.name}"' in compact(page)
    owned.rename(prompt, "first tab")

    refused = alices.post(f"/prompts/{prompt.pk}/", form | {"name": "second tab"})
    prompt.refresh_from_db()
    assert (refused.status_code, prompt.name) == (409, "first tab")
    assert "renamed this to first tab in the meantime" in refused.content.decode()
    assert "Read v1" not in refused.content.decode()

    alices.post(f"/prompts/{prompt.pk}/", form | {"name": "second tab", "name_was": "first tab"})
    prompt.refresh_from_db()
    assert prompt.name == "second tab"


def field_of(html: str, name: str) -> str:
    return html.split(f'name="{name}"')[1].split('value="')[1].split('"')[0]


def test_a_server_that_does_not_say_who_is_signed_in_keeps_no_form(alices_page, live_server, project):
    evaluator = factories.evaluator(project, "contains", "has it")
    alices_page.goto(f"{live_server.url}/evaluators/{evaluator.pk}/")
    alices_page.route("**/account/signed-in/", lambda route: None)  # no answer ever comes
    alices_page.locator("#editor [name=name]").fill("has it now")
    sign_out(alices_page)
    alices_page.locator("#editor [value=save]").click()

    alices_page.wait_for_url("**/signin/**", timeout=10_000)


def test_a_form_shows_both_versions_and_saves_the_second_time(alices, project):
    run = factories.scored_run(factories.experiment(project), variant="terse")
    address = f"/runs/{run.pk}/about/"
    seen = field_of(alices.get(address).content.decode(), "seen")
    alices.post(address, {"notes": "what the first tab says", "seen": seen})

    refused = alices.post(address, {"notes": "what the second tab says", "seen": seen})
    page = refused.content.decode()
    assert refused.status_code == 409
    marked = page[page.index('class="theirs"') :]
    assert re.findall(r"<(del|ins)><span[^>]*>[^<]*</span>(\w+)", marked) == [
        ("del", "first"),
        ("ins", "second"),
    ]
    assert "what the second tab says" in page

    again = {"notes": "what the second tab says", "seen": field_of(page, "seen")}
    assert alices.post(address, again).status_code == 302
    run.refresh_from_db()
    assert run.about["notes"] == "what the second tab says"


@pytest.mark.parametrize(
    ("address", "page", "field", "first", "second"),
    [
        ("/p/default/rules/", "/p/default/settings/", "protected_labels", "live", "stable"),
        ("/p/default/rules/", "/p/default/settings/", "currency", "EUR", "CHF"),
    ],
)
def test_settings_are_not_saved_over(alices, project, address, page, field, first, second):
    shown = alices.get(page).content.decode()
    form = shown[shown.index(f'action="{address}"') :]
    seen = field_of(form, "seen")
    rules = {"currency": "USD", "seen": seen}
    assert alices.post(address, rules | {field: first}).status_code == 302

    refused = alices.post(address, rules | {field: second})
    assert refused.status_code == 409
    assert first in refused.content.decode()


def wait_until_kept(page: Page) -> None:
    """Wait until the page has kept what was typed, at most 30 seconds."""
    for _ in range(300):
        if page.evaluate("Object.keys(sessionStorage).some((key) => key.startsWith('typed:'))"):
            return
        page.wait_for_timeout(100)


@pytest.mark.long
def test_what_is_typed_survives_a_reload_and_a_refusal(alices_page, live_server, project):
    run = factories.scored_run(factories.experiment(project), variant="terse")
    alices_page.goto(f"{live_server.url}/runs/{run.pk}/about/")
    alices_page.locator("[name=notes]").fill("half a thought")
    wait_until_kept(alices_page)

    alices_page.reload()
    expect(alices_page.locator("#typed-before")).to_contain_text("not saved yet")
    assert alices_page.locator("[name=notes]").input_value() == "half a thought"

    memberships = Membership.objects.filter(project=project)
    memberships.update(role=Role.VIEWER)
    alices_page.get_by_role("button", name="Save", exact=True).click()
    expect(alices_page.locator("[data-refused]")).to_be_visible()
    alices_page.wait_for_load_state()  # its scripts run after its text is there
    memberships.update(role=Role.ADMIN)
    alices_page.goto(f"{live_server.url}/runs/{run.pk}/about/")
    assert alices_page.locator("[name=notes]").input_value() == "half a thought"

    alices_page.get_by_role("button", name="Save", exact=True).click()
    alices_page.wait_for_url("**/runs/*/")
    alices_page.goto(f"{live_server.url}/runs/{run.pk}/about/")
    expect(alices_page.locator("#typed-before")).to_be_hidden()


@pytest.mark.long
def test_what_is_typed_just_before_a_reload_comes_back(alices_page, live_server, project):
    run = factories.scored_run(factories.experiment(project), variant="terse")
    alices_page.goto(f"{live_server.url}/runs/{run.pk}/about/")

    alices_page.locator("[name=notes]").fill("half a thought")
    alices_page.reload()

    expect(alices_page.locator("[name=notes]")).to_have_value("half a thought")


@pytest.mark.long
@pytest.mark.parametrize("place", ["", "bench/"])
def test_a_draft_that_arrives_after_the_page_was_asked_for_again_is_on_it(
    alices_page, live_server, project, place
):
    prompt = factories.prompt(project, "Solve {{ question }}")
    alices_page.route(
        "**/*", lambda route: route.abort() if route.request.method == "POST" else route.continue_()
    )
    alices_page.add_init_script(
        "window.fetch = () => new Promise(() => {})"
    )  # a leaving page sends past routes
    alices_page.goto(f"{live_server.url}/prompts/{prompt.pk}/{place}")
    text = alices_page.locator("textarea.template-text").first

    text.fill("Solve {{ question }} at once")
    alices_page.reload()
    expect(text).to_have_value("Solve {{ question }} at once")

    text.fill("Solve {{ question }} at last")
    alices_page.goto(f"{live_server.url}/p/default/datasets/")
    alices_page.goto(f"{live_server.url}/prompts/{prompt.pk}/{place}")
    expect(text).to_have_value("Solve {{ question }}")  # of what was left, the server has the newest draft


@pytest.mark.long
def test_a_row_that_was_added_survives_a_reload(alices_page, live_server, project):
    experiment = factories.experiment(project, "exact_match", "levenshtein_similarity")
    factories.scored_run(experiment, variant="old")
    alices_page.goto(f"{live_server.url}/p/default/gates/new/?experiment={experiment.pk}")
    rows = alices_page.locator("[name$=-rule]")
    before = rows.count()
    alices_page.get_by_role("button", name="Add criterion").click()
    expect(rows).to_have_count(before + 1)
    alices_page.locator("[name=name]").fill("held since Monday")
    wait_until_kept(alices_page)

    alices_page.goto(f"{live_server.url}/p/default/gates/new/?experiment={experiment.pk}")
    assert alices_page.locator("[name=name]").input_value() == "held since Monday"
    expect(rows).to_have_count(before + 1)


@pytest.mark.long
def test_a_page_says_that_its_file_is_to_be_chosen_again(alices_page, live_server, project, tmp_path):
    experiment = factories.scored_run(factories.experiment(project)).experiment
    address = f"{live_server.url}/experiments/{experiment.pk}/variants/new/"
    (tmp_path / "outputs.csv").write_text("key,output\nk1,Paris\n")
    alices_page.goto(address)
    form = alices_page.locator("form:has([type=file])")
    form.locator("[type=file]").set_input_files(tmp_path / "outputs.csv")
    form.locator("input[type=text]").first.fill("terse")
    wait_until_kept(alices_page)

    alices_page.reload()

    expect(alices_page.locator("#typed-before")).to_contain_text("Choose the file again")
