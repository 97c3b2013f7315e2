"""A dataset over time on a screen of 400 pixels, in a real browser."""

from datetime import timedelta

import numpy as np
import pytest

from evaluations.datasets import datasets
from evaluations.experiments import experiments
from evaluations.models import Run
from evaluations.scoring import scoring
from tests import factories
from tests.comparisons import columns

from ..comparisons.test_layout import signed_in

__all__ = ["signed_in"]  # the fixture

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
WIDER = """[...document.querySelectorAll('.scroll-narrow')].map(one => one.scrollWidth - one.clientWidth)"""


def test_the_leaderboard_and_evaluators_against_people_need_no_scrolling(live_server, signed_in, project):
    experiment = columns.experiment(project, 30, ["value", "rouge_l", "sentence_bleu"])
    for number in range(12):
        scores = np.linspace(0.1, 0.5 + number / 10, 30)
        columns.run(experiment, f"a variant of some length {number}", [scores, scores**2, scores])
    signed_in.set_viewport_size({"width": 400, "height": 720})

    signed_in.goto(f"{live_server.url}/datasets/{experiment.dataset_id}/trends/")

    assert signed_in.evaluate(WIDER) == [0, 0]
    plot, name = (
        signed_in.locator(f".board tbody tr:first-child {part}").bounding_box() for part in ("td.plot", "th")
    )
    assert plot["width"] > 300
    assert plot["y"] > name["y"]


@pytest.mark.parametrize("width", [400, 320])
def test_the_few_tabs_of_a_dataset_are_as_large_as_elsewhere_and_fit(live_server, signed_in, project, width):
    experiment = columns.experiment(project, 3, ["value"])
    signed_in.set_viewport_size({"width": width, "height": 720})

    signed_in.goto(f"{live_server.url}/datasets/{experiment.dataset_id}/")

    tabs = signed_in.locator(".tabs")
    assert tabs.locator("a").first.evaluate("tab => getComputedStyle(tab).fontSize") == "14px"
    assert tabs.evaluate("tabs => tabs.scrollWidth <= tabs.clientWidth")


def test_the_lines_have_the_width_and_names_stand_in_it(live_server, signed_in, project):
    experiment = columns.experiment(project, 30, ["value"])
    for number in range(4):
        run = columns.run(
            experiment, f"a variant of some length {number}", [np.linspace(0.1, 0.5 + number / 10, 30)]
        )
        Run.objects.filter(pk=run.pk).update(created_at=run.created_at - timedelta(days=number))
    signed_in.set_viewport_size({"width": 400, "height": 720})

    signed_in.goto(f"{live_server.url}/datasets/{experiment.dataset_id}/trends/")

    plot = signed_in.locator(".trend-chart svg").bounding_box()
    shown = [
        box for box in (name.bounding_box() for name in signed_in.locator(".trend-chart .name").all()) if box
    ]
    assert plot["width"] > 300
    assert len(shown) == 4
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= 400 for box in shown)


def test_the_leaderboard_fits_a_window_just_wider_than_a_phone(live_server, signed_in, project):
    experiment = columns.experiment(project, 30, ["value"])
    for number in range(3):
        columns.run(experiment, f"variant {number}", [np.linspace(0.1, 0.5 + number / 10, 30)])
    signed_in.set_viewport_size({"width": 775, "height": 720})

    signed_in.goto(f"{live_server.url}/datasets/{experiment.dataset_id}/trends/")

    assert signed_in.evaluate("document.documentElement.scrollWidth") == 775


def test_the_mark_of_an_edit_has_its_number_also_on_a_phone(live_server, signed_in, project):
    experiment = factories.experiment(project, references=["Paris", "Rome"])
    old = factories.scored_run(experiment, ["Paris", "Rom"], "old")
    Run.objects.filter(pk=old.pk).update(created_at=old.created_at - timedelta(days=2))
    newer = experiments.create(project, None, "after the edit", experiment.dataset, [experiment.primary])
    new = factories.scored_run(newer, ["Paris", "Rome"], "new")
    datasets.edit(experiment.dataset, None, 1, {"reference": {"answer": "Lyon"}})
    experiments.use_dataset_version(newer)
    factories.copy_outputs()
    while scoring.work(seconds=10):
        pass
    Run.objects.filter(pk=new.pk).update(created_at=new.created_at + timedelta(days=1))
    shown = {}

    for width in (1280, 400):
        signed_in.set_viewport_size({"width": width, "height": 720})
        signed_in.goto(f"{live_server.url}/datasets/{experiment.dataset_id}/trends/")
        marks = signed_in.locator(".trend-chart .mark-text").all()
        shown[width] = [mark.text_content() for mark in marks if mark.is_visible()]

    assert [texts[0].partition(":")[0] for texts in shown.values()] == ["dataset v2", "v2"]
    assert [len(texts) for texts in shown.values()] == [1, 1]


def test_names_of_the_leaderboard_are_whole_in_a_window_just_wider_than_a_phone(
    live_server, signed_in, project
):
    experiment = columns.experiment(project, 30, ["value"])
    for number in range(3):
        name = f"the long name of a variant with many words that tell what it is and does, number {number}"
        columns.run(experiment, name, [np.linspace(0.1, 0.5 + number / 10, 30)])
    signed_in.set_viewport_size({"width": 775, "height": 720})

    signed_in.goto(f"{live_server.url}/datasets/{experiment.dataset_id}/trends/")

    cut = """[...document.querySelectorAll(".board tbody th a")].filter(a => {
      const cell = a.closest("th").getBoundingClientRect(), words = document.createRange();
      words.selectNodeContents(a);
      return a.scrollHeight > a.clientHeight + 2 && getComputedStyle(a).display !== "inline"
        || words.getBoundingClientRect().bottom > cell.bottom + 1;
    }).length"""
    assert signed_in.locator(".board tbody th a").count() == 3
    assert signed_in.evaluate(cut) == 0


def test_a_small_line_makes_no_row_of_a_list_higher_on_a_phone(live_server, signed_in, project):
    for count in (1, 3):
        first = columns.experiment(project, 30, ["value"])
        more = [
            experiments.create(project, None, f"again {number}", first.dataset, [first.primary])
            for number in range(1, count)
        ]
        for number, experiment in enumerate([first, *more]):
            columns.run(experiment, "one", [np.linspace(0.1, 0.5 + number / 10, 30)])
    signed_in.set_viewport_size({"width": 400, "height": 720})

    signed_in.goto(f"{live_server.url}/p/{project.slug}/datasets/")

    assert signed_in.locator(".sparkline").count() == 1
    heights = [row.bounding_box()["height"] for row in signed_in.locator("tr[data-row]").all()]
    assert len(heights) == 2
    assert max(heights) - min(heights) < 1


def test_the_best_mean_on_the_front_page_is_of_one_size_and_wraps(live_server, signed_in, project):
    experiment = columns.experiment(project, 30, ["value"])
    experiment.primary.name = "an evaluator with a name of some length"
    experiment.primary.save()
    columns.run(experiment, "a variant with a name of some length", [np.linspace(0.1, 0.5, 30)])
    signed_in.set_viewport_size({"width": 400, "height": 720})

    signed_in.goto(live_server.url)

    sizes = "[...document.querySelectorAll('.trend *')].map(one => getComputedStyle(one).fontSize)"
    assert len(set(signed_in.evaluate(sizes))) == 1
    assert signed_in.evaluate("document.documentElement.scrollWidth") == 400
    assert signed_in.locator(".trend small").bounding_box()["height"] > 30
