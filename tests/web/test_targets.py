"""What is pressed on a page is large enough, or far enough from the next (WCAG 2.5.8), in a real browser."""

import pytest
from playwright.sync_api import Page

from tests import factories

pytestmark = [pytest.mark.django_db(transaction=True)]
SMALL = """() => [...document.querySelectorAll("summary, .section-head > a, th > a, td > a, input")]
  .filter(part => part.checkVisibility() && !["hidden", "range"].includes(part.type))
  .map(part => [part.type === "checkbox" || part.type === "radio" ? 20 : 24, part])
  .filter(([least, part]) => part.getBoundingClientRect().height < least - 0.5 && !part.closest("p, .unseen"))
  .map(([, part]) => `${part.outerHTML.slice(0, 80)} ${part.getBoundingClientRect().height}`)"""


@pytest.mark.parametrize("width", [1280, 400])
def test_links_of_lists_summaries_and_boxes_are_high_enough(alices_page: Page, live_server, project, width):
    experiment = factories.experiment(project, references=["Paris", "Rome"])
    run = factories.scored_run(experiment, ["Paris", "Rom"])
    dataset = f"/datasets/{experiment.dataset_id}/"
    alices_page.set_viewport_size({"width": width, "height": 900})
    small = {}

    for address in ("/", f"/p/{project.slug}/datasets/", dataset, f"{dataset}schema/", f"/runs/{run.pk}/"):
        assert alices_page.goto(f"{live_server.url}{address}").status == 200, address
        small[address] = alices_page.evaluate(SMALL)

    assert not any(small.values()), small


def test_boxes_have_one_size(alices_page: Page, live_server, project):
    experiment = factories.experiment(project, references=["Paris", "Rome"])
    for name in ("old", "new"):
        factories.scored_run(experiment, ["Paris", "Rom"], name)
    dataset = f"/datasets/{experiment.dataset_id}/"
    sizes = set()

    for width in (1280, 400):
        alices_page.set_viewport_size({"width": width, "height": 900})
        for address in (dataset, f"{dataset}schema/", f"/experiments/{experiment.pk}/"):
            alices_page.goto(f"{live_server.url}{address}")
            boxes = alices_page.locator("[type=checkbox]:visible")
            assert boxes.count() > 0, address
            sizes |= {(round(box["width"]), round(box["height"])) for box in map(size_of, boxes.all())}

    assert sizes == {(20, 20)}


def size_of(box):
    return box.bounding_box()
