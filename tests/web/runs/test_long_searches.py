"""Searches in runs with more examples than a page reads: a stretch at a time, which the page names."""

import re
from html import unescape

import pytest

from evaluations.datasets import datasets
from evaluations.experiments import experiments
from evaluations.results import searching
from tests import factories
from tests.pages import markup

pytestmark = pytest.mark.django_db
ROWS, STRETCH = 10, 4
OUTPUTS = [f"oak {n}" if n in (2, 3, 9) else f"fir {n}" for n in range(1, ROWS + 1)]


@pytest.fixture
def run(project, client, alice, monkeypatch):
    monkeypatch.setattr(searching, "SEARCHED", STRETCH)
    client.force_login(alice)
    examples = [{"inputs": {"q": f"question {n}"}, "reference": {"a": "pine"}} for n in range(ROWS)]
    dataset = datasets.create(project, None, "trees", examples)
    evaluator = factories.evaluator(project, "levenshtein_similarity")
    return factories.scored_run(experiments.create(project, None, "trees", dataset, [evaluator]), OUTPUTS)


def found(page: str) -> list[str]:
    return re.findall(r"\boak \d+", page.partition("<tbody>")[2])


def link(page: str, words: str) -> str:
    [address] = re.findall(rf'<a href="([^"]*)">{words}</a>', page)
    return unescape(address)


@pytest.mark.parametrize("order", ["file", "worst"])
def test_a_search_goes_on_stretch_by_stretch(client, run, order):
    pages = [markup(client.get(f"/runs/{run.pk}/?q=oak&order={order}"))]
    for _ in range(2):
        pages.append(markup(client.get(link(pages[-1], "Search the next ones"))))

    assert [sorted(set(found(page))) for page in pages] == [["oak 2", "oak 3"], [], ["oak 9"]]
    said = [re.sub(r"\s+", " ", page).partition("Searched examples ")[2].partition(":")[0] for page in pages]
    assert said == ["1 to 4 of 10", "5 to 8 of 10", "9 to 10 of 10"]
    assert "No examples match among these" in pages[1]
    assert "Search the next ones" not in pages[2]
    assert link(pages[2], "Search from the beginning") == f"/runs/{run.pk}/?q=oak&order={order}"


def test_a_file_has_what_is_found_in_all_examples(client, run):
    page = markup(client.get(f"/runs/{run.pk}/?q=oak&order=file"))
    exported = client.get(f"/runs/{run.pk}/export/?q=oak&order=file&format=csv").getvalue().decode()

    assert "All filtered examples" in page
    assert [f"oak {n}" in exported for n in (2, 3, 9)] == [True] * 3


def test_a_run_as_long_as_a_stretch_is_searched_whole(client, run, monkeypatch):
    monkeypatch.setattr(searching, "SEARCHED", ROWS)
    page = markup(client.get(f"/runs/{run.pk}/?q=oak&order=file"))

    assert sorted(set(found(page))) == ["oak 2", "oak 3", "oak 9"]
    assert "Searched examples" not in page


@pytest.mark.parametrize("start", ["99", "-1", "x", "10"])
def test_a_beginning_behind_the_end_is_the_first(client, run, start):
    page = markup(client.get(f"/runs/{run.pk}/?q=oak&order=file&from={start}"))

    assert sorted(set(found(page))) == ["oak 2", "oak 3"]
