"""Searches on pages of long runs other than the run's own: a stretch at a time, which the page names."""

import re
from html import unescape

import pytest

from evaluations.results import searching
from tests import factories
from tests.pages import markup

pytestmark = pytest.mark.django_db
ROWS, STRETCH = 10, 4


def answers(*elms: int) -> list[str]:
    return ["elm" if n in elms else "oak" for n in range(1, ROWS + 1)]


@pytest.fixture
def addresses(project, monkeypatch):
    """The addresses of lists with examples 2, 3 and 9: only there is “elm”, in outputs of one variant."""
    monkeypatch.setattr(searching, "SEARCHED", STRETCH)
    experiment = factories.experiment(project, "label", references=["oak"] * ROWS)
    for variant, outputs in (("a", answers()), ("b", answers())):
        factories.scored_run(experiment, outputs, variant)
    run = factories.scored_run(experiment, answers(2, 3, 9), "b")
    return {
        "comparison": f"/experiments/{experiment.pk}/?q=elm&order=position",
        "differences": f"/experiments/{experiment.pk}/?only=1&order=position",
        "repetitions": f"/runs/{run.pk}/repetitions/?q=elm",
        "statistics": f"/runs/{run.pk}/statistics/?q=elm",
    }


def found(page, name: str) -> list[int]:
    rows = page.context["rows" if name in ("repetitions", "statistics") else "examples"]
    names = [row.row.name if name == "statistics" else row.name for row in rows]
    return [int(row.removeprefix("k")) for row in names]


def said(page) -> str:
    return re.sub(r"\s+", " ", markup(page)).partition("Searched examples ")[2].partition(":")[0]


def link(page, words: str) -> str | None:
    found = re.search(rf'<a href="([^"]*)">{words}</a>', markup(page))
    return unescape(found[1]) if found else None


@pytest.mark.parametrize("name", ["comparison", "differences", "repetitions", "statistics"])
def test_a_search_goes_on_stretch_by_stretch(alices, addresses, name):
    page = alices.get(addresses[name])
    pages = [page]
    while further := link(pages[-1], "Search the next ones"):
        pages.append(alices.get(further))

    assert [found(page, name) for page in pages] == [[2, 3], [], [9]]
    assert [said(page) for page in pages] == ["1 to 4 of 10", "5 to 8 of 10", "9 to 10 of 10"]
    assert "among these" in markup(pages[1])
    assert link(pages[2], "Search from the beginning") == addresses[name]


@pytest.mark.parametrize("name", ["comparison", "differences", "repetitions", "statistics"])
def test_what_can_be_searched_at_once_is(alices, addresses, name, monkeypatch):
    monkeypatch.setattr(searching, "SEARCHED", ROWS)
    page = alices.get(addresses[name])

    assert found(page, name) == [2, 3, 9]
    assert "Searched examples" not in markup(page)


def test_a_dataset_is_searched_stretch_by_stretch(alices, project, monkeypatch):
    monkeypatch.setattr(searching, "SEARCHED", STRETCH)
    dataset = factories.dataset(project, answers(2, 3, 9))
    pages = [alices.get(f"/datasets/{dataset.pk}/?q=elm")]
    while further := link(pages[-1], "Search the next ones"):
        pages.append(alices.get(further))

    assert [[row.position for row in page.context["rows"]] for page in pages] == [[2, 3], [], [9]]
    assert [page.context["matches"] for page in pages] == [2, 0, 1]
    assert "Edit all that match" in markup(pages[1])
    assert "No examples match among these" in re.sub(r"\s+", " ", markup(pages[1]))


def test_a_file_of_compared_examples_has_what_is_found_in_all(alices, addresses):
    address, _, query = addresses["comparison"].partition("?")
    page = markup(alices.get(addresses["comparison"]))
    lines = alices.get(f"{address}export/?{query}&format=jsonl").getvalue().decode().splitlines()

    assert "Download all filtered examples" in page
    assert len(lines) == 3
