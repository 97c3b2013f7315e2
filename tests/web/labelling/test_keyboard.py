"""Rating in a real browser: by the keyboard alone, on a phone, in two tabs, and after Back."""

import pytest
from playwright.sync_api import Page, expect

from evaluations.labelling import links, sets, tasks
from evaluations.models import Label
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def asked(project, alice):
    """A task about fifty answers."""
    experiment = factories.experiment(project, references=[f"r{n}" for n in range(50)])
    run = factories.scored_run(experiment, [f"answer {n}" for n in range(50)], "quokka")
    evaluator = sets.create(project, alice, "people", {"question": "Is it right?"})
    return tasks.create(evaluator, alice, [run], tasks.Plan(size=50, seed=1, overlap=0))


@pytest.fixture
def asked_pairs(project, alice):
    experiment = factories.experiment(project, references=["a", "b", "c", "d"])
    runs = [
        factories.scored_run(experiment, [f"{name} {n}" for n in range(4)], name) for name in ("old", "new")
    ]
    evaluator = sets.create(project, alice, "better", {"answers": "pair", "question": "Which is better?"})
    return tasks.create(evaluator, alice, runs, tasks.Plan(size=4, seed=1, overlap=0))


def test_fifty_answers_are_rated_with_the_keyboard_alone(live_server, alices_page: Page, asked):
    page = alices_page
    page.goto(f"{live_server.url}/labels/{asked.pk}/rate/")
    page.keyboard.press("Enter")
    for number in range(50):
        expect(page.locator(".label-bar b")).to_have_text(str(number))
        page.wait_for_load_state()  # Each answer loads a page, whose keys work when its scripts have run.
        if number == 10:
            page.keyboard.press("n")
            page.keyboard.type("Fine")
            page.keyboard.press("Escape")
        page.keyboard.press("pfu"[number % 3])

    expect(page.get_by_text("You rated 50 answers")).to_be_visible()
    given = [label.answer for label in Label.objects.order_by("pk")]
    assert given == (["pass", "fail", ""] * 17)[:50]
    assert Label.objects.exclude(note="").count() == 1


def test_pairs_are_rated_with_the_arrows(live_server, alices_page: Page, asked_pairs):
    page = alices_page
    page.goto(f"{live_server.url}/labels/{asked_pairs.pk}/rate/")
    page.keyboard.press("Enter")
    for number, key in enumerate(("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown")):
        expect(page.locator(".label-bar b")).to_have_text(str(number))
        page.wait_for_load_state()  # Each answer loads a page, whose keys work when its scripts have run.
        page.keyboard.press(key)

    expect(page.get_by_text("You rated 4 answers")).to_be_visible()
    assert [label.answer for label in Label.objects.order_by("pk")] == ["left", "right", "both", "neither"]


@pytest.mark.parametrize("kind", ["asked", "asked_pairs"])
def test_on_a_phone_every_choice_is_large_and_in_sight(live_server, page: Page, kind, request):
    task = request.getfixturevalue(kind)
    token = links.create(task, None)[1]
    page.set_viewport_size({"width": 400, "height": 800})
    page.goto(f"{live_server.url}/rate/{token}/")
    page.get_by_label("Your name").fill("Ann")
    page.get_by_role("button", name="Begin").click()

    for button in page.locator("form[data-once] button").all():
        box = button.bounding_box()
        assert box["height"] >= 44, button.inner_text()
        assert box["y"] + box["height"] <= 800, button.inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    page.locator("form[data-once] button").first.click()
    expect(page.locator(".label-bar b")).to_have_text("1")


def test_an_answer_after_back_and_in_a_second_tab_is_stored_once(live_server, alices_page: Page, asked):
    page = alices_page
    page.goto(f"{live_server.url}/labels/{asked.pk}/rate/")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Pass")).to_be_visible()
    second = page.context.new_page()
    second.goto(page.url)
    page.keyboard.press("p")
    expect(page.locator(".label-bar b")).to_have_text("1")
    second.get_by_label("Note").fill("From the second tab")
    second.get_by_role("button", name="Fail").click()
    expect(second.get_by_text("From the second tab")).to_be_visible()
    page.go_back()
    page.get_by_role("button", name="Fail").click()

    assert Label.objects.filter(answer="pass").count() == 1
    assert Label.objects.count() <= 2


def test_a_note_survives_a_reload_and_is_of_one_item(live_server, alices_page: Page, asked):
    page = alices_page
    page.goto(f"{live_server.url}/labels/{asked.pk}/rate/")
    page.keyboard.press("Enter")
    note = page.locator("[name=note]")
    note.fill("half a thought")
    page.reload()
    expect(note).to_have_value("half a thought")

    page.locator("form[data-once] button[value=pass]").click()
    expect(page.locator(".label-bar b")).to_have_text("1")
    expect(note).to_have_value("")
    assert Label.objects.get().note == "half a thought"
