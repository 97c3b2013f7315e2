"""Searches by the API in runs with more examples than one answer searches: a stretch at a time, which it names."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from evaluations.results import searching

from .conftest import score_all

ROWS, STRETCH = 10, 4
OLD = [f"oak {n}" if n in (2, 3, 9) else f"fir {n}" for n in range(1, ROWS + 1)]
NEW = [f"oak {n}" if n in (4, 10) else f"elm {n}" for n in range(1, ROWS + 1)]


@pytest.fixture
def runs(writer, monkeypatch):
    monkeypatch.setattr(searching, "SEARCHED", STRETCH)
    rows = [{"inputs": {"q": f"question {n}"}, "reference": {"a": "pine"}} for n in range(ROWS)]
    dataset = writer.create("datasets/", {"name": "trees", "examples": rows})
    evaluator = writer.create("evaluators/", {"name": "Edits", "kind": "levenshtein_distance", "config": {}})
    body = {"name": "trees", "dataset": dataset["id"], "evaluators": [evaluator["id"]]}
    experiment = writer.create("experiments/", body)
    ids = []
    for variant, outputs in (("old", OLD), ("new", NEW)):
        sent = [{"position": n, "output": output} for n, output in enumerate(outputs, 1)]
        body = {"experiment": experiment["id"], "variant": variant, "outputs": sent}
        ids.append(writer.create("runs/", body)["id"])
    score_all()
    return ids


def pages(reader, address: str, link: str = "next") -> list[dict]:
    """All pages from an address on, by their links."""
    found = []
    while address:
        found.append(reader.get(address).json())
        address = found[-1][link]
    return found


def positions(page: dict) -> list[int]:
    return [row["position"] for row in page["results"]]


SEARCHES = {
    "file": "runs/{0}/results/?search=oak",
    "score": "runs/{0}/results/?search=oak&sort=Edits",
    "compared": "comparisons/examples/?runs={0},{1}&search=oak",
    "different": "comparisons/examples/?runs={0},{1}&different=true",
}


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("file", [[2, 3], [], [9]]),
        ("score", [[2, 3], [], [9]]),
        ("compared", [[2, 3, 4], [], [9, 10]]),
        ("different", [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10]]),
    ],
)
def test_a_search_goes_on_stretch_by_stretch(reader, runs, name, found):
    there = pages(reader, SEARCHES[name].format(*runs))
    back = pages(reader, there[-2]["next"], "previous")

    assert [sorted(positions(page)) for page in there] == found
    assert [sorted(positions(page)) for page in back] == found[::-1]
    assert [tuple(page["searched"].values()) for page in there] == [(1, 4, 10), (5, 8, 10), (9, 10, 10)]


@pytest.mark.parametrize("name", SEARCHES)
def test_pages_within_a_stretch_are_whole_in_both_directions(reader, runs, name):
    address = f"{SEARCHES[name]}&page_size=1".format(*runs)
    there = pages(reader, address)
    back = pages(reader, there[-2]["next"], "previous")

    whole = pages(reader, SEARCHES[name].format(*runs))
    assert [row for page in there for row in positions(page)] == [
        row for page in whole for row in positions(page)
    ]
    assert [positions(page) for page in back] == [positions(page) for page in there][::-1]


@pytest.mark.parametrize("name", SEARCHES)
def test_what_can_be_searched_at_once_is(reader, runs, name, monkeypatch):
    monkeypatch.setattr(searching, "SEARCHED", ROWS)

    [page] = pages(reader, SEARCHES[name].format(*runs))

    assert page["searched"] is None
    assert set(positions(page)) >= {2, 3, 9}


@pytest.mark.parametrize("name", SEARCHES)
def test_only_the_texts_of_the_stretch_are_read(reader, runs, name):
    with CaptureQueriesContext(connection) as captured:
        reader.get(SEARCHES[name].format(*runs))

    searches = [sql for query in captured if "oak" in (sql := query["sql"]) or "EXISTS" in sql]
    assert searches
    assert all("BETWEEN 1 AND 4" in sql for sql in searches)


def test_a_file_has_what_is_found_in_all_examples(reader, runs):
    lines = reader.get(f"runs/{runs[0]}/export/?search=oak&format=jsonl").getvalue().decode().splitlines()

    assert len(lines) == 3


def test_examples_of_a_dataset_are_searched_stretch_by_stretch(writer, reader, monkeypatch):
    """Of the examples that are left: 2, 3, 4 and 6 are the first stretch, 7 to 10 the second."""
    monkeypatch.setattr(searching, "SEARCHED", STRETCH)
    rows = [{"inputs": {"q": text}} for text in OLD]
    dataset = writer.create("datasets/", {"name": "trees", "examples": rows})["id"]
    for position in (1, 5):
        assert writer.delete(f"datasets/{dataset}/examples/{position}/").status_code == 204

    for size in (50, 1):
        there = pages(reader, f"datasets/{dataset}/examples/?search=oak&page_size={size}")
        back = pages(reader, there[-2]["next"], "previous")

        assert [position for page in there for position in positions(page)] == [2, 3, 9]
        assert [positions(page) for page in back] == [positions(page) for page in there][::-1]
        assert [tuple(there[end]["searched"].values()) for end in (0, -1)] == [(1, 4, 8), (5, 8, 8)]
