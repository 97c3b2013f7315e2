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
