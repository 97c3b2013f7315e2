"""The heads of a table of two variants that were run several times."""

import pytest

from tests import factories

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]


@pytest.mark.parametrize("width", [1280, 320])
def test_the_words_below_two_names_do_not_overlap(alices_page, live_server, project, width):
    experiment = factories.experiment(project)
    for _ in range(2):
        factories.scored_run(experiment, variant="v1")
        factories.scored_run(experiment, ("Paris", "Rome", "Oslo"), variant="v2")
    alices_page.set_viewport_size({"width": width, "height": 900})
    alices_page.goto(f"{live_server.url}/experiments/{experiment.pk}/?repeats=mean")

    words = alices_page.locator(".duel thead small").filter(has_text="mean of 2 runs")
    first, second = (
        words.nth(number).evaluate(
            "(small) => { const range = document.createRange(); range.selectNode(small.firstChild);"
            " const { left, right } = range.getBoundingClientRect(); return [left, right]; }"
        )
        for number in range(2)
    )
    assert first[1] <= second[0] or second[1] <= first[0]


@pytest.mark.parametrize("height", [800, 320])
def test_a_menu_is_inside_the_window_wherever_its_button_is(alices_page, live_server, project, height):
    """Below its button, above it, or in a low window over it."""
    experiment = factories.experiment(project)
    for variant in ("v1", "v2"):
        factories.scored_run(experiment, variant=variant)
    alices_page.set_viewport_size({"width": 1280, "height": height})
    alices_page.goto(f"{live_server.url}/experiments/{experiment.pk}/")
    button = alices_page.locator("[popovertarget=reading]")
    button.evaluate(
        "(it) => { document.body.style.paddingBlockEnd = '60rem';"
        " scrollTo(0, it.getBoundingClientRect().bottom + scrollY - innerHeight + 40) }"
    )

    button.click()

    box = alices_page.locator("#reading").bounding_box()
    assert box
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= height


def test_a_menu_of_ticks_keeps_its_place_when_the_page_comes_anew(alices_page, live_server, project):
    experiment = factories.experiment(project)
    for variant in ("v1", "v2"):
        factories.scored_run(experiment, variant=variant)
    alices_page.set_viewport_size({"width": 1280, "height": 900})
    alices_page.goto(f"{live_server.url}/experiments/{experiment.pk}/")
    alices_page.locator("[popovertarget=reading]").click()
    menu = alices_page.locator("#reading")
    place = menu.bounding_box()

    menu.get_by_label("Ignore case").click()
    alices_page.wait_for_url("**case=1**")
    alices_page.wait_for_timeout(500)

    assert menu.bounding_box() == place
