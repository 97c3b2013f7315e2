"""The page of a run at the widths of a desk and of a phone, in a real browser: nothing is cut where it counts."""

import pytest
from playwright.sync_api import Page, expect

from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)
KINDS = ("levenshtein_similarity", "content_similarity", "exact_match", "jaro_winkler", "similarity_match")
REFERENCES = tuple(f"The capital of land {n} is city {n}." for n in range(30))
CUT = """parts => parts.filter(part => part.scrollWidth > part.clientWidth + 1).map(part => part.innerText)"""
OVERLAP = """drawings => drawings.filter(drawing => {
  const boxes = [...drawing.querySelectorAll("text")].map(text => text.getBoundingClientRect());
  const ends = boxes.sort((a, b) => a.x - b.x);
  return ends.some((end, n) => n && end.left < ends[n - 1].right);
}).length"""


@pytest.fixture
def run(project):
    experiment = factories.experiment(project, *KINDS, references=REFERENCES)
    factories.scored_run(experiment, [text[::-1] for text in REFERENCES], "base")
    return factories.scored_run(experiment, [text[:-3] for text in REFERENCES], "new")


@pytest.mark.parametrize("width", [1280, 1024, 400])
@pytest.mark.parametrize("count", [3, 4, 5])
def test_no_interval_is_cut_and_no_label_of_a_drawing_lies_on_another(
    live_server, alices_page: Page, project, width, count
):
    experiment = factories.experiment(project, *KINDS[:count], references=REFERENCES)
    run = factories.scored_run(experiment, [text[:-3] for text in REFERENCES])
    alices_page.set_viewport_size({"width": width, "height": 720})

    alices_page.goto(f"{live_server.url}/runs/{run.pk}/")

    means = alices_page.locator(".metric .mean")
    expect(means).to_have_count(count)
    assert means.evaluate_all(CUT) == []
    assert alices_page.locator(".metric svg.histogram").evaluate_all(OVERLAP) == 0


def test_beside_an_open_example_the_head_of_the_scores_is_not_broken_inside_a_word(
    live_server, alices_page: Page, run
):
    alices_page.set_viewport_size({"width": 1280, "height": 720})

    alices_page.goto(f"{live_server.url}/runs/{run.pk}/?row=2")

    assert alices_page.locator(".rows thead th[aria-sort]").last.bounding_box()["width"] >= 140
    search = alices_page.get_by_role("searchbox", name="Find in texts").bounding_box()
    assert search["x"] == alices_page.locator(".rows").bounding_box()["x"]


@pytest.mark.parametrize("width", [400, 320])
def test_menus_keep_their_arrows_on_a_phone(live_server, alices_page: Page, run, width):
    alices_page.set_viewport_size({"width": width, "height": 720})

    alices_page.goto(f"{live_server.url}/runs/{run.pk}/")

    buttons = alices_page.locator(".run-head > .actions > .button")
    assert [button.inner_text().strip() for button in buttons.all()] == ["More", "Export", "Compare"]
    for button in buttons.all():
        expect(button.locator(".icon")).to_be_visible()
    assert len({round(button.bounding_box()["y"]) for button in buttons.all()}) == 1


@pytest.mark.parametrize("width", [1280, 400])
def test_the_menu_of_a_figure_opens_near_it_and_covers_none(live_server, alices_page: Page, run, width):
    alices_page.set_viewport_size({"width": width, "height": 720})
    alices_page.goto(f"{live_server.url}/runs/{run.pk}/")

    for tile in (alices_page.locator(".metric").first, alices_page.locator(".metric").last):
        tile.get_by_role("button").click()
        figures, button, menu = (
            part.bounding_box()
            for part in (
                alices_page.locator(".metrics"),
                tile.get_by_role("button"),
                tile.locator("[popover]"),
            )
        )
        assert menu["y"] >= figures["y"] + figures["height"] - 1
        assert menu["x"] <= button["x"] + button["width"] <= menu["x"] + menu["width"] + 1
        alices_page.keyboard.press("Escape")


@pytest.mark.parametrize("width", [1280, 1024])
def test_the_line_of_a_threshold_begins_below_the_interval(live_server, alices_page: Page, run, width):
    alices_page.set_viewport_size({"width": width, "height": 720})

    alices_page.goto(f"{live_server.url}/runs/{run.pk}/")

    for tile in alices_page.locator(".metric:has(.threshold)").all():
        interval, line = (tile.locator(part).bounding_box() for part in (".mean", ".threshold"))
        assert line["y"] >= interval["y"] + interval["height"] - 1  # half of its stroke


def test_the_head_of_a_run_on_a_phone_is_ordered_like_other_heads(live_server, alices_page: Page, run):
    alices_page.set_viewport_size({"width": 640, "height": 720})

    alices_page.goto(f"{live_server.url}/runs/{run.pk}/")

    parts = (".up", "h1 > bdi", ".run-facts", ".actions")
    above, name, facts, actions = (
        alices_page.locator(f".run-head {part}").first.bounding_box() for part in parts
    )
    assert name["y"] < above["y"] + above["height"]
    assert above["y"] < facts["y"] < actions["y"]


def test_groups_without_examples_leave_room_on_a_phone(live_server, alices_page: Page, run):
    alices_page.set_viewport_size({"width": 400, "height": 720})
    alices_page.goto(f"{live_server.url}/runs/{run.pk}/")
    errors = alices_page.locator(".segments a").filter(has_text="Errors")
    expect(errors).to_be_hidden()

    alices_page.set_viewport_size({"width": 1280, "height": 720})

    expect(errors).to_be_visible()


def test_the_menu_of_the_only_figure_stands_beside_its_name(live_server, alices_page: Page, project):
    experiment = factories.experiment(project, references=REFERENCES)
    run = factories.scored_run(experiment, list(REFERENCES))
    alices_page.set_viewport_size({"width": 1280, "height": 720})

    alices_page.goto(f"{live_server.url}/runs/{run.pk}/")

    name, button = (
        alices_page.locator(f".metric-head > {part}").bounding_box() for part in ("small", "button")
    )
    assert button["x"] - (name["x"] + name["width"]) < 16


def test_a_short_name_above_leaves_no_gap(live_server, alices_page: Page, project):
    experiment = factories.experiment(project, references=REFERENCES)
    experiment.name = "two"
    experiment.save()
    run = factories.scored_run(experiment, list(REFERENCES))
    alices_page.set_viewport_size({"width": 1280, "height": 720})

    alices_page.goto(f"{live_server.url}/runs/{run.pk}/")

    above = alices_page.locator(".run-head .up").bounding_box()
    assert above["width"] < 60
