"""What is pressed on a page is large enough, or far enough from the next (WCAG 2.5.8), in a real browser."""

import pytest
from playwright.sync_api import Page

from evaluations.judges import sample as people_sample
from evaluations.models import Evaluator, Experiment
from tests import factories

pytestmark = [pytest.mark.django_db(transaction=True)]
SMALL = """() => [...document.querySelectorAll(
    "summary, .section-head > a, :is(th, td, th small, td small, .set-tasks li) > a, input")]
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


@pytest.mark.parametrize("width", [1280, 400])
def test_links_below_names_of_evaluators_are_high_enough_on_the_pages_of_the_sample(
    alices_page: Page, live_server, alice, project, width
):
    people_sample.load(project, alice)
    labelled = Evaluator.objects.get(project=project, name__startswith="Is the answer right?")
    addresses = [f"/evaluators/{labelled.pk}/", "/"]
    for experiment in Experiment.objects.filter(project=project):
        pair = list(experiment.runs.values_list("pk", flat=True))[:2]
        addresses += [f"/experiments/{experiment.pk}/", f"/compare/?runs={pair[0]},{pair[1]}"]
    alices_page.set_viewport_size({"width": width, "height": 900})
    small, stacked = {}, 0

    for address in addresses:
        assert alices_page.goto(f"{live_server.url}{address}").status == 200, address
        small[address] = alices_page.evaluate(SMALL)
        stacked += alices_page.locator(":is(th, td) small > a, .set-tasks li > a").count()

    assert stacked > 1
    assert not any(small.values()), small
