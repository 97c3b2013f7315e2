"""The order of the list of experiments, which is part of the address."""

from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import pytest

from evaluations.experiments import experiments
from evaluations.models import Experiment, Run
from evaluations.web.experiments import experiments as pages
from tests import factories

pytestmark = pytest.mark.django_db
LIST = "/p/default/experiments/"


@pytest.fixture(autouse=True)
def _three_experiments(project):
    """Experiments on 1, 3 and 2 examples; the second and third ended on the 3rd and 2nd of a month, the first never."""
    for name, size, day in (("beta", 1, None), ("Gamma", 3, 3), ("alpha", 2, 2)):
        dataset = factories.dataset(project, ["x"] * size, name=f"for {name}")
        experiment = experiments.create(project, None, name, dataset, [])
        if day:
            run = factories.run(experiment, ["x"] * size)
            Run.objects.filter(pk=run.pk).update(finished_at=datetime(2026, 5, day, tzinfo=UTC))


def names(page):
    return [row.overview.experiment.name for line in page.context["lines"] for row in line.rows]


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("question", ["alpha", "beta", "Gamma"]),
        ("-question", ["Gamma", "beta", "alpha"]),
        ("-examples", ["Gamma", "alpha", "beta"]),
        ("-finished", ["Gamma", "alpha", "beta"]),
        ("finished", ["alpha", "Gamma", "beta"]),
        ("", ["alpha", "Gamma", "beta"]),
        ("-nonsense", ["alpha", "Gamma", "beta"]),
    ],
)
def test_the_list_is_in_the_order_of_its_address(alices, sort, order):
    assert names(alices.get(LIST, {"sort": sort})) == order


@pytest.mark.parametrize(
    ("query", "listed"),
    [
        ({"state": "empty"}, ["beta"]),
        ({"state": "ended"}, ["alpha", "Gamma"]),
        ({"state": "going"}, []),
        ({"verdict": "none"}, ["alpha", "Gamma", "beta"]),
        ({"verdict": "better"}, []),
        ({"state": "nonsense", "dataset": "nonsense"}, ["alpha", "Gamma", "beta"]),
    ],
)
def test_the_list_shows_what_its_address_chooses(alices, query, listed):
    page = alices.get(LIST, query)

    assert names(page) == listed
    assert ("Show all" in page.content.decode()) == (not listed)


def test_the_list_shows_the_experiments_on_one_dataset(alices):
    dataset = Experiment.objects.get(name="Gamma").dataset

    assert names(alices.get(LIST, {"dataset": dataset.pk})) == ["Gamma"]


def test_a_second_click_on_a_head_turns_the_order_round(alices):
    once = alices.get(alices.get(LIST).context["heads"]["examples"].address)
    reversed_page = alices.get(once.context["heads"]["examples"].address)

    assert [page.context["heads"]["examples"].sort for page in (once, reversed_page)] == [
        "descending",
        "ascending",
    ]
    assert names(reversed_page) == names(once)[::-1]


def test_pages_follow_the_order(alices, monkeypatch):
    monkeypatch.setattr(pages, "LISTED", 2)

    first = alices.get(LIST, {"sort": "question"})
    second = alices.get(first.context["page"].next)

    assert names(first) + names(second) == ["alpha", "beta", "Gamma"]
    assert names(alices.get(second.context["page"].previous)) == names(first)


def test_the_heads_of_the_home_page_lead_to_the_list(alices):
    target = urlsplit(alices.get("/p/default/").context["heads"]["question"].address)

    assert (target.path, parse_qs(target.query)) == (LIST, {"sort": ["question"]})


def test_a_list_of_several_pages_says_how_many_there_are(alices, project, monkeypatch):
    assert "3 experiments" not in alices.get(LIST).text

    monkeypatch.setattr(pages, "LISTED", 2)

    assert "3 experiments" in alices.get(LIST).text
