"""Things whose names differ in their numbers alone, as those of nightly runs, stand in one line of a list."""

import re

import numpy as np
import pytest

from evaluations.experiments import experiments
from evaluations.models import Evaluator
from evaluations.web.page_tools import series
from tests import factories
from tests.comparisons import columns
from tests.pages import markup, text_of

pytestmark = pytest.mark.django_db
LIST = "/p/default/experiments/"
UNCLEAR, WORSE = ["Paris"] * 12, ["Rome"] * 12


def nightly(project, number: int, outputs: list[str], name: str = "Nightly"):
    dataset = factories.dataset(project, ["Paris"] * 12, f"{name} {number:03}")
    exact = Evaluator.objects.first() or factories.evaluator(project)
    experiment = experiments.create(project, None, f"{name} {number:03}", dataset, [exact])
    factories.scored_run(experiment, ["Paris"] * 12, "base")
    factories.scored_run(experiment, outputs, "other")
    return experiment


@pytest.mark.parametrize(
    ("names", "name"),
    [
        (["Nightly 060", "Nightly 059", "Nightly 001"], "Nightly 001 to 060"),
        (["Nightly 9", "Nightly 10", "Nightly 11"], "Nightly 9 to 11"),
        (["2026-11-02 of main", "2026-11-01 of main"], "2026-11-01 to 2026-11-02 of main"),
        (["pr-3", "pr-17"], "pr-3 to pr-17"),
    ],
)
def test_the_name_of_a_series_says_once_what_its_names_share(names, name):
    assert series.span(names) == name


@pytest.mark.parametrize("address", ["/", LIST])
def test_experiments_of_a_series_stand_in_one_line_that_opens_in_place(alices, project, address):
    for number in range(9):
        nightly(project, number, UNCLEAR)

    closed = alices.get(address)
    opened = alices.get(address, {"series": "Nightly #"})

    assert "Nightly 000 to 008 9 experiments, no clear difference" in " ".join(text_of(closed).split())
    assert ">Nightly 004</a>" not in markup(closed)
    assert "?series=Nightly+%23#experiments-" in markup(closed)
    assert ">Nightly 004</a>" in markup(opened)
    assert f'href="{address}#experiments-' in markup(opened)


@pytest.mark.parametrize("address", ["/", LIST, "/p/default/datasets/"])
def test_an_open_series_shows_ten_and_then_the_others(alices, project, address):
    parameter = "datasets" if address == "/" else "series"
    for number in range(13):
        nightly(project, number, UNCLEAR)

    closed = alices.get(address)
    first = alices.get(address, {parameter: "Nightly #"})
    whole = alices.get(address, {parameter: "Nightly #", f"whole_{parameter}": "Nightly #"})

    counts = [[markup(page).count(f"Nightly {n}") for n in ("003", "002")] for page in (closed, first, whole)]
    assert counts[0][0] < counts[1][0] == counts[2][0]
    assert counts[0][1] == counts[1][1] < counts[2][1]
    assert f"?{parameter}=Nightly+%23&amp;whole_{parameter}=Nightly+%23" in markup(first)
    assert "3 more" in text_of(first)
    assert "3 more" not in text_of(whole)


def test_the_axis_of_a_list_stays_when_a_series_is_opened(alices, project):
    alone = columns.experiment(project, 40, ["exact_match"])
    columns.run(alone, "old", [np.tile([0.0, 1.0], 20)])
    columns.run(alone, "new", [np.tile([0.0, 1.0], 20)])
    for number in range(13):
        nightly(project, number, ["Paris"] * 8 + ["Rome"] * 4)

    closed, opened = (markup(alices.get(LIST, chosen)) for chosen in ({}, {"series": "Nightly #"}))

    axes = [
        re.findall(r"<text[^>]*>([^<]+)</text>", page.partition("<tbody")[0]) for page in (closed, opened)
    ]
    assert axes[0] == axes[1] != []


def test_the_differences_of_a_series_lie_between_two_numbers(alices, project):
    for number in range(9):
        nightly(project, number, UNCLEAR)

    assert "between 0.0 and 0.0 points" in " ".join(text_of(alices.get(LIST)).split())


def test_what_is_worse_stands_alone_between_its_neighbours(alices, project):
    made = [nightly(project, number, WORSE if number == 4 else UNCLEAR) for number in range(9)]

    page = " ".join(text_of(alices.get("/")).split())

    assert "Nightly 005 to 008 4 experiments" in page
    assert "Nightly 000 to 003 4 experiments" in page
    assert f'href="/experiments/{made[4].pk}/"' in markup(alices.get("/"))


def test_an_older_verdict_is_on_the_front_page_below_a_long_series(alices, project):
    nightly(project, 1, WORSE, "Question")
    for number in range(12):
        nightly(project, number, UNCLEAR)

    assert ">Question 001</a>" in markup(alices.get("/"))


def test_pages_of_a_list_are_as_long_as_their_lines(alices, project):
    dataset = factories.dataset(project)
    for name in (*"abcdefghijklmnopqrstu", *(f"Nightly {number}" for number in range(30))):
        experiments.create(project, None, name, dataset, [])

    first = alices.get(LIST)
    second = alices.get(first.context["page"].next)
    back = alices.get(second.context["page"].previous)

    names = [line.line.name or line.line.things[0].experiment.name for line in first.context["lines"]]
    assert names == ["Nightly 0 to 29", *"utsrqponmlkjihgfedc"]
    assert [row.name for row in second.context["page"].rows] == ["b", "a"]
    assert back.context["page"].rows == first.context["page"].rows


def test_a_search_finds_each_of_a_series(alices, project):
    for number in range(4):
        nightly(project, number, UNCLEAR)

    assert ">Nightly 002</a>" in markup(alices.get(LIST, {"q": "nightly"}))


def test_datasets_of_a_series_stand_in_one_line(alices, project):
    for number in range(4):
        nightly(project, number, UNCLEAR)

    closed = alices.get("/p/default/datasets/")
    opened = alices.get("/p/default/datasets/", {"series": "Nightly #"})

    assert "Nightly 000 to 003 4 datasets" in " ".join(text_of(closed).split())
    assert "Nightly 002" not in text_of(closed)
    assert "Nightly 002 v1" in " ".join(text_of(opened).split())
    assert "Datasets of Default · Nightly 000 to 003 ·" in " ".join(markup(opened).split())
    assert "4 datasets 12 examples each" in " ".join(text_of(alices.get("/")).split())
