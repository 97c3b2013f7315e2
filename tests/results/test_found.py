"""Pages of a search without a total: the same rows as with one, and no more texts read than a page needs."""

import re
from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from evaluations.datasets import datasets
from evaluations.experiments import experiments
from evaluations.models import Run
from evaluations.results import found, results
from evaluations.results.filters import Filters
from evaluations.results.results import Query
from evaluations.results.shown import scorings_of
from tests import factories

pytestmark = pytest.mark.django_db
ROWS = 60
SIZE = 4
RARE = Filters(metadata=(("topic", "rare"),))
QUERIES = {
    "in examples and outputs": Query(more=Filters(search="oak")),
    "in outputs": Query(more=Filters(search="ash")),
    "of few rows": Query(more=replace(RARE, search="oak")),
    "in one row": Query(more=Filters(search="oak 17")),
    "nowhere": Query(more=Filters(search="elm")),
}


@pytest.fixture
def run(project) -> Run:
    """“oak” is in the first half of the examples and in every third output, “ash” in the other outputs."""
    examples = [
        {
            "reference": {"a": f"oak {n}" if n < ROWS // 2 else f"fir {n}"},
            "metadata": {"topic": "common" if n % 20 else "rare"},
        }
        for n in range(ROWS)
    ]
    dataset = datasets.create(project, None, "trees", examples)
    experiment = experiments.create(project, None, "trees", dataset, [factories.evaluator(project)])
    return factories.scored_run(experiment, [f"ash {n}" if n % 3 else f"oak {n}" for n in range(ROWS)])


def pages(run: Run, query: Query, read) -> tuple[list[list[int]], list[list[int]]]:
    """The positions on every page, from the first to the last and back."""
    page = read(run, query, SIZE)
    there = [page]
    while page.after:
        there.append(page := read(run, query, SIZE, after=page.after))
    back = [page]
    while page.before:
        back.append(page := read(run, query, SIZE, before=page.before))
    return tuple([[row.position for row in page.rows] for page in way] for way in (there, back))


@pytest.mark.parametrize("name", QUERIES)
def test_a_search_without_a_total_has_the_same_pages_in_both_directions(run, name, monkeypatch):
    monkeypatch.setattr(found, "FIRST", 2)
    monkeypatch.setattr(found, "MOST", 8)

    assert pages(run, QUERIES[name], results.uncounted_page) == pages(run, QUERIES[name], results.page)


def test_a_condition_on_scores_holds_for_found_rows(run):
    failing = Query(scoring=scorings_of(run)[0], passed=False, more=Filters(search="oak"))

    assert pages(run, failing, results.uncounted_page) == pages(run, failing, results.page)


def test_removed_examples_are_not_found(project):
    dataset = datasets.create(project, None, "trees", [{"reference": {"a": f"oak {n}"}} for n in range(8)])
    for position in (2, 3, 7):
        datasets.remove(dataset, None, position)
    experiment = experiments.create(project, None, "trees", dataset, [factories.evaluator(project)])
    run = factories.scored_run(experiment, ["ash"])

    assert pages(run, Query(more=Filters(search="oak")), results.uncounted_page) == (
        [[1, 4, 5, 6], [8]],
        [[8], [1, 4, 5, 6]],
    )


def test_statements_read_few_examples_until_the_page_is_full(run, monkeypatch):
    monkeypatch.setattr(found, "FIRST", 2)
    monkeypatch.setattr(found, "MOST", 8)
    with CaptureQueriesContext(connection) as captured:
        results.uncounted_page(run, QUERIES["in examples and outputs"], SIZE)

    searching = [statement["sql"] for statement in captured if "oak" in statement["sql"]]
    read = [re.search(r"BETWEEN (\d+) AND (\d+)", sql).groups() for sql in searching]
    assert [tuple(map(int, ends)) for ends in read] == [(1, 2), (1, 2), (3, 10), (3, 10)]
