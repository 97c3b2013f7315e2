"""What is counted of a run adds up: each of its examples is in one number of a tile, and in one tab of the list."""

import pytest

from tests import factories
from tests.pages import text_of

pytestmark = pytest.mark.django_db
OUTPUTS = ["a", "b", None, "c", "a"]


@pytest.fixture(params=["exact_match", "label"])
def page(request, alices, project):
    """Of a run with a right answer, two wrong ones, none, and one to an example without a reference."""
    experiment = factories.experiment(project, request.param, references=["a", "a", "a", "a", None])
    return alices.get(f"/runs/{factories.scored_run(experiment, OUTPUTS).pk}/")


def numbers(page, counted):
    """What stands in numbers, and how many rows each of their links shows."""
    shown = [(one.word, one.count) for one in counted]
    return shown, [page.client.get(one.address, follow=True).context["total"] for one in counted]


def test_the_numbers_of_a_tile_add_up_and_lead_to_as_many_rows(page):
    [average] = page.context["averages"]
    told, rows = numbers(page, [*average.outcomes, *(one for one in average.states if one.word != "scored")])

    assert told == [("pass", 1), ("fail", 2), ("missing", 2)]
    assert rows == [1, 2, 2]
    assert "1 unanswered as wrong" in text_of(page)


def test_so_do_the_tabs_of_the_list(page):
    told, rows = numbers(page, page.context["segments"])

    assert told == [("all", 5), ("fail", 2), ("pass", 1), ("missing", 2), ("errors", 0)]
    assert rows == [5, 2, 1, 2, 0]


def test_the_line_of_a_tile_shows_what_counts_as_wrong(page):
    [average] = page.context["averages"]

    assert "1 without a score, as wrong" in average.histogram
