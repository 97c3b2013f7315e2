"""Copy buttons where the browser offers no clipboard, as for a site without TLS."""

import pytest

from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)
NO_CLIPBOARD = "Object.defineProperty(navigator, 'clipboard', {value: undefined})"
NO_COPYING = "document.execCommand = () => false"


@pytest.fixture
def experiment_page(live_server, alices_page, project):
    """A page with a button that copies its address."""
    alices_page.add_init_script(NO_CLIPBOARD)
    experiment = factories.experiment(project, "exact_match", references=("Paris", "Rome"))
    for name, outputs in {"base": ("Paris", "Oslo"), "terse": ("Paris", "Rome")}.items():
        factories.scored_run(experiment, outputs, name)
    alices_page.goto(f"{live_server.url}/experiments/{experiment.pk}/")
    return alices_page


@pytest.fixture
def button(experiment_page):
    return experiment_page.get_by_role("button", name="Copy a link to this view")


def test_a_page_without_a_clipboard_copies_all_the_same(experiment_page, button):
    link = button.get_attribute("data-copy")

    button.click()

    experiment_page.evaluate("document.body.append(document.createElement('textarea'))")
    pasted = experiment_page.locator("body > textarea")
    pasted.focus()
    experiment_page.keyboard.press("Control+V")
    assert pasted.input_value() == link


def test_where_nothing_can_be_copied_the_text_is_selected_with_a_word_what_to_press(experiment_page, button):
    experiment_page.evaluate(NO_COPYING)
    link = button.get_attribute("data-copy")

    button.click()

    assert experiment_page.locator(".copy-note").is_visible()
    assert "+C to copy" in experiment_page.locator(".copy-note").text_content()
    selected = experiment_page.evaluate(
        "(field => field.value.slice(field.selectionStart, field.selectionEnd))(document.activeElement)"
    )
    assert selected == link


def test_the_menu_of_a_page_copies_the_id_of_its_object(experiment_page):
    experiment_page.get_by_role("button", name="More", exact=True).click()
    pk = experiment_page.url.rstrip("/").rpartition("/")[2]

    item = experiment_page.get_by_role("button", name=f"Copy the id {pk}")
    item.click()

    assert item.get_attribute("data-copy") == pk
    assert experiment_page.locator("#said").text_content() == "Copied"
