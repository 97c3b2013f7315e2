"""The focus and the title while parts of a page are replaced, in a real browser (habit 14)."""

import re

import pytest
from playwright.sync_api import Page, expect

from evaluations.models import Prompt
from evaluations.prompts import prompts
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)
REFERENCES = [f"city {n}" for n in range(60)]


@pytest.fixture
def experiment(project):
    scored = factories.experiment(project, "exact_match", "levenshtein_similarity", references=REFERENCES)
    factories.scored_run(scored, REFERENCES, "base")
    factories.scored_run(scored, [*REFERENCES[:30], *["none"] * 30], "other")
    return scored


@pytest.fixture
def signed_in(live_server, alices_page: Page) -> Page:
    alices_page.set_viewport_size({"width": 1280, "height": 900})
    return alices_page


@pytest.mark.parametrize(
    ("link", "title"),
    [
        ("#examples .segments a:has-text('Worse')", "which is closer · worse · Evalsite"),
        ("#examples a:text-is('reference')", "which is closer · difference to reference · Evalsite"),
        ("#examples a:has-text('Next')", "which is closer · 26 to 50 · Evalsite"),
        ("a[title*='Swap']", "which is closer · baseline other · Evalsite"),
    ],
)
def test_a_link_keeps_the_focus_when_its_part_or_page_comes_anew(
    live_server, signed_in, experiment, link, title
):
    signed_in.goto(f"{live_server.url}/experiments/{experiment.pk}/")
    words = re.sub(r"[\s\d]+", " ", signed_in.locator(link).first.inner_text()).strip()
    signed_in.locator(link).first.focus()

    with signed_in.expect_response("**/experiments/**"):
        signed_in.keyboard.press("Enter")

    expect(signed_in).to_have_title(title)
    focused = signed_in.locator("main :focus")
    expect(focused).to_have_text(re.compile(words))
    expect(focused).to_have_count(1)


def test_a_choice_keeps_the_focus_and_names_itself_in_the_title(live_server, signed_in, experiment):
    signed_in.goto(f"{live_server.url}/experiments/{experiment.pk}/")
    choice = signed_in.locator("#examples select[name=evaluator]")
    choice.focus()

    choice.select_option(label="levenshtein similarity")

    expect(signed_in).to_have_title("which is closer · by levenshtein similarity · Evalsite")
    expect(choice).to_be_focused()


def test_a_choice_in_a_menu_leaves_the_focus_on_the_button_of_the_menu(live_server, signed_in, experiment):
    signed_in.goto(f"{live_server.url}/experiments/{experiment.pk}/")
    button = signed_in.get_by_role("button", name="View", exact=True)
    button.click()
    choice = signed_in.locator("#examples select[name=order]")
    choice.focus()

    choice.select_option(index=1)

    expect(signed_in).to_have_url(re.compile("order="))
    expect(button).to_be_focused()


def test_a_menu_of_ticks_stays_open_for_the_next_one(live_server, signed_in, experiment):
    signed_in.goto(f"{live_server.url}/experiments/{experiment.pk}/")
    signed_in.get_by_role("button", name="View", exact=True).click()

    signed_in.get_by_label("Ignore case").check()
    expect(signed_in).to_have_url(re.compile("case="))
    signed_in.get_by_label("Ignore white space").check()

    expect(signed_in).to_have_url(re.compile("case=.*space="))
    expect(signed_in.get_by_label("Ignore white space")).to_be_focused()


def test_a_closed_drawer_gives_the_focus_back_to_its_row(live_server, signed_in, experiment):
    run = experiment.runs.order_by("pk").last()
    signed_in.goto(f"{live_server.url}/runs/{run.pk}/?row=40")

    signed_in.locator(".drawer a[aria-label=Close]").focus()
    signed_in.keyboard.press("Enter")

    expect(signed_in.locator(".drawer")).to_have_count(0)
    expect(signed_in.locator("tbody a[href*='row=40']")).to_be_focused()


def test_where_nothing_like_it_is_left_the_part_itself_has_the_focus(live_server, signed_in, experiment):
    run = experiment.runs.order_by("pk").last()
    signed_in.goto(f"{live_server.url}/runs/{run.pk}/")

    signed_in.locator("#examples a:has-text('Next')").focus()
    signed_in.keyboard.press("Enter")

    expect(signed_in.locator("#examples tbody tr")).to_have_count(10)
    expect(signed_in.locator("#examples")).to_be_focused()


def test_a_form_pressed_twice_is_sent_once(live_server, signed_in, project):
    signed_in.goto(f"{live_server.url}/p/{project.slug}/prompts/new/")
    signed_in.get_by_label("Name").first.fill("answers")
    signed_in.locator("textarea[name=content]").first.fill("Answer briefly.")
    sent = []
    signed_in.on("request", lambda request: request.method == "POST" and sent.append(request.url))

    signed_in.locator("main form[method=post] button.button-main").first.dblclick()

    expect(signed_in.locator("h1")).to_contain_text("answers")
    assert Prompt.objects.filter(project=project).count() == 1
    assert len([address for address in sent if address.endswith("/prompts/new/")]) == 1


def test_a_refused_form_begins_at_its_first_wrong_field(live_server, signed_in, project, experiment):
    signed_in.goto(f"{live_server.url}/p/{project.slug}/evaluators/new/?kind=regex_match")
    signed_in.get_by_label("Name").first.fill("shape")
    pattern = signed_in.locator("[name=pattern]")
    pattern.fill("(")

    signed_in.locator("main form[method=post] button.button-main").first.click()

    expect(pattern).to_be_focused()


@pytest.mark.parametrize("replaced", ["#save", "#editor"])
def test_a_part_that_comes_anew_while_its_form_is_sent_does_not_stop_it(
    live_server, signed_in, project, experiment, replaced
):
    signed_in.goto(f"{live_server.url}/p/{project.slug}/evaluators/new/?kind=regex_match")
    signed_in.evaluate(
        """(replaced) => {
            const ask = window.fetch;
            window.fetch = (...asked) => {
                const part = document.querySelector(replaced);
                const anew = part.cloneNode(true);
                part.replaceWith(anew);
                return ask(...asked);
            };
        }""",
        replaced,
    )
    signed_in.get_by_label("Name").first.fill("shape")
    signed_in.locator("[name=pattern]").fill("a+")

    signed_in.locator("#save").click()

    expect(signed_in).to_have_title("shape · Evalsite")


def test_a_button_that_leads_to_the_same_page_keeps_the_focus_beside_others_of_its_name(
    live_server, signed_in, project, alice
):
    prompt = factories.prompt(project, "Answer briefly.", maker=alice)
    signed_in.goto(f"{live_server.url}/prompts/{prompt.pk}/bench/")

    signed_in.get_by_role("button", name="Copy the column v1").focus()
    with signed_in.expect_navigation():
        signed_in.keyboard.press("Enter")

    expect(signed_in.locator("main :focus")).to_have_attribute("aria-label", "Copy the column v1")


def test_of_links_that_are_called_alike_the_one_that_was_pressed_keeps_the_focus(
    live_server, signed_in, project, alice
):
    prompt = factories.prompt(project, "Solve {{ question }}")
    for text in ("Say {{ question }}", "Answer {{ question }}"):
        prompts.add_version(prompt, alice, {"messages": [{"role": "user", "content": text}]})
    signed_in.goto(f"{live_server.url}/prompts/{prompt.pk}/")
    oldest = signed_in.locator("a.compare").last

    oldest.press("Enter")

    expect(signed_in).to_have_url(re.compile("against=1"))
    expect(signed_in.locator("main :focus")).to_have_text(re.compile(r"v3 with v1"))
