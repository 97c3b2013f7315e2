"""Pagination of lists: every row once, in both directions, and cursors are valid only for their list."""

import re

import pytest

from .conftest import score_all
from .test_bodies import error


def walk(program, path: str, step: str = "next") -> list[list]:
    """The pages that follow, one by one."""
    pages, address = [], path
    while address:
        answer = program.get(address)
        assert answer.status_code == 200, answer.content
        pages.append(answer.json()["results"])
        address = answer.json()[step]
        last = answer.json()
    walk.last = last
    return pages


@pytest.fixture
def dataset_ids(writer) -> list[int]:
    return [writer.create("datasets/", {"name": f"Set {n}", "examples": []})["id"] for n in range(7)]


def test_pages_neither_skip_nor_repeat(writer, dataset_ids):
    for size in (1, 2, 3, 7, 1000):
        pages = walk(writer, f"datasets/?page_size={size}")

        assert [row["id"] for page in pages for row in page] == dataset_ids[::-1]
        assert all(len(page) == size for page in pages[:-1])


def test_the_way_back_passes_the_same_rows(writer, dataset_ids):
    forwards = walk(writer, "datasets/?page_size=2")
    last = writer.get("datasets/?page_size=2").json()
    while last["next"]:
        last = writer.get(last["next"]).json()
    backwards = walk(writer, last["previous"], "previous")

    assert [row["id"] for page in backwards for row in page] == [
        row["id"] for page in forwards[-2::-1] for row in page
    ]


def test_a_row_that_appears_meanwhile_is_not_in_the_way(writer, dataset_ids):
    first = writer.get("datasets/?page_size=3").json()
    writer.create("datasets/", {"name": "Newest", "examples": []})
    later_pages = walk(writer, first["next"])

    assert [row["id"] for page in later_pages for row in page] == dataset_ids[::-1][3:]


def test_a_list_of_nothing_has_no_neighbours(reader):
    assert reader.get("datasets/").json() == {"next": None, "previous": None, "results": []}


@pytest.mark.parametrize("size", ["0", "-1", "1001", "1000000", "abc", "", "1.5", "1e2"])
def test_a_page_has_1_to_1000_rows(writer, size):
    response = writer.get(f"datasets/?page_size={size}")

    assert response.status_code == 400
    assert "page_size" in error(response)["fields"]


@pytest.mark.parametrize("cursor", ["x", "", "a:b:c", "%F0%9F%98%80", "W10:1abc:xyz"])
def test_a_cursor_is_signed(writer, cursor):
    response = writer.get(f"datasets/?cursor={cursor}")

    assert (response.status_code, error(response)["code"]) == (400, "invalid_cursor")


def test_a_cursor_fits_its_own_list_only(writer, dataset_ids, dataset):
    cursor = re.search("cursor=([^&]+)", writer.get("datasets/?page_size=1").json()["next"])[1]

    other_list = writer.get(f"evaluators/?cursor={cursor}")
    other_filter = writer.get(f"datasets/?name=x&cursor={cursor}")

    assert {error(response)["code"] for response in (other_list, other_filter)} == {"invalid_cursor"}


def test_a_cursor_fits_its_own_project_only(writer, stranger, dataset_ids):
    address = writer.get("datasets/?page_size=1").json()["next"]

    assert error(stranger.get(address))["code"] == "invalid_cursor"


def test_the_size_may_change_on_the_way(writer, dataset_ids):
    address = writer.get("datasets/?page_size=2").json()["next"].replace("page_size=2", "page_size=4")

    assert [row["id"] for row in writer.get(address).json()["results"]] == dataset_ids[::-1][2:6]


def test_kinds_come_in_pages_as_well(reader):
    pages = walk(reader, "evaluator-kinds/?page_size=5")

    assert [kind["key"] for page in pages for kind in page] == [
        kind["key"] for kind in reader.get("evaluator-kinds/?page_size=1000").json()["results"]
    ]


def test_a_name_finds_its_thing(writer, dataset, dataset_ids):
    rows = writer.get("datasets/?name=CAPITALS").json()["results"]

    assert [row["id"] for row in rows] == [dataset["id"]]


def test_runs_are_found_by_experiment_variant_and_status(writer, experiment, completed, stranger):
    draft = writer.create("runs/", {"experiment": experiment["id"], "variant": "other", "start": False})

    def ids(query: str) -> list[int]:
        return [run["id"] for run in writer.get(f"runs/?{query}").json()["results"]]

    assert ids(f"experiment={experiment['id']}") == [draft["id"], completed["id"]]
    assert ids("variant=other") == [draft["id"]]
    assert ids("status=completed") == [completed["id"]]
    assert ids("experiment=424242") == []
    assert stranger.get(f"runs/?experiment={experiment['id']}").json()["results"] == []


# ---- results -------------------------------------------------------------------------------------------------


@pytest.fixture
def scored(writer) -> dict:
    """Nine examples: example n has n edits, between "x" * n and ""; every third has no output."""
    examples = [{"key": f"k{n}", "inputs": {"n": n}, "reference": {"answer": ""}} for n in range(9)]
    dataset = writer.create("datasets/", {"name": "Nine", "examples": examples})
    evaluators = [
        writer.create("evaluators/", {"name": name, "kind": kind, "config": config})["id"]
        for name, kind, config in (
            ("Edits", "levenshtein_distance", {"threshold": 4}),
            ("-Edits", "exact_match", {}),
        )
    ]
    experiment = writer.create(
        "experiments/", {"name": "Nine", "dataset": dataset["id"], "evaluators": evaluators}
    )
    outputs = [{"key": f"k{n}", "output": "x" * (n * 5 % 9)} for n in range(9) if n % 3]
    run = writer.create("runs/", {"experiment": experiment["id"], "variant": "x", "outputs": outputs})
    score_all()
    return run | {"evaluators": evaluators}


def positions(program, run, query: str) -> list[int]:
    return [
        row["position"]
        for page in walk(program, f"runs/{run['id']}/results/?page_size=2&{query}")
        for row in page
    ]


# key n (position n + 1) has n * 5 % 9 edits: 1→5, 2→1, 4→2, 5→7, 7→8, 8→4; 0, 3 and 6 have no output.
RISING = [3, 5, 9, 2, 6, 8, 1, 4, 7]
FALLING = [8, 6, 2, 9, 5, 3, 1, 4, 7]


FOUND = {
    "": list(range(1, 10)),
    "sort=position": list(range(1, 10)),
    "sort=Edits": RISING,
    "sort=--Edits": [1, 2, 3, 4, 5, 6, 7, 8, 9],
    "sort=Edits&status=scored": RISING[:6],
    "sort=Edits&status=missing_actual": RISING[6:],
    "status=missing_actual&status=error": [1, 4, 7],
    "sort=Edits&passed=true": [3, 5, 9],
    "evaluator=Edits&passed=false": [2, 6, 8],
    "evaluator=Edits&min=2&max=5": [2, 5, 9],
    "evaluator=Edits&min=2&max=5&sort=Edits": [5, 9, 2],
    "search=k8": [9],
    "search=xxxxxxx&sort=Edits": [6, 8],
}


def test_results_are_sorted_filtered_and_searched(writer, scored):
    assert {query: positions(writer, scored, query) for query in FOUND} == FOUND


def test_a_name_that_begins_with_a_minus_wins_over_the_order(writer, scored):
    # “-Edits” is an evaluator: exact match, 0.0 for all that have an output and for missing ones.
    assert positions(writer, scored, "sort=-Edits") == list(range(1, 10))


def test_falling_order_keeps_rows_without_a_score_last(writer, scored):
    writer.patch(f"evaluators/{scored['evaluators'][1]}/", {"name": "Same"})

    assert positions(writer, scored, "sort=-Edits") == FALLING


def test_filters_may_look_at_another_evaluator_than_the_order(writer, scored):
    same_evaluator = scored["evaluators"][1]

    assert positions(writer, scored, f"sort=Edits&evaluator={same_evaluator}&status=missing_actual") == [
        1,
        4,
        7,
    ]
    assert (
        positions(writer, scored, f"sort=Edits&evaluator={same_evaluator}&max=0&status=scored") == RISING[:6]
    )


def test_results_can_be_walked_backwards(writer, scored):
    forwards = walk(writer, f"runs/{scored['id']}/results/?sort=Edits&page_size=4")
    page = writer.get(f"runs/{scored['id']}/results/?sort=Edits&page_size=4").json()
    while page["next"]:
        page = writer.get(page["next"]).json()
    backwards = walk(writer, page["previous"], "previous")

    assert [row["position"] for page in backwards[::-1] for row in page] == [
        row["position"] for page in forwards[:-1] for row in page
    ]


MEANINGLESS = {
    "sort=nothing": "sort",
    "sort=-nothing": "sort",
    "evaluator=nothing": "evaluator",
    "status=great": "status",
    "passed=maybe": "passed",
    "min=nan": "min",
    "max=inf": "max",
    "min=x": "min",
}


def test_a_filter_without_meaning_is_refused(writer, scored):
    for query, field in MEANINGLESS.items():
        response = writer.get(f"runs/{scored['id']}/results/?{query}")

        assert response.status_code == 400, query
        assert field in error(response)["fields"]


def test_a_search_text_has_a_longest_length(writer, scored):
    address = f"runs/{scored['id']}/results/?search="

    assert writer.get(address + "x" * 200).status_code == 200
    assert writer.get(address + "x" * 201).status_code == 400


def test_wildcards_are_letters(writer, scored):
    dataset = writer.get("datasets/?name=Nine").json()["results"][0]
    for wildcard in ("%25", "_", "%5C", "'", "*"):
        assert positions(writer, scored, f"search={wildcard}") == []
        assert writer.get(f"datasets/{dataset['id']}/examples/?search={wildcard}").json()["results"] == []


def test_one_example_explains_its_scores(writer, scored):
    row = writer.get(f"runs/{scored['id']}/results/3/").json()

    assert (row["position"], row["key"], row["output"], row["inputs"]) == (3, "k2", "x", {"n": 2})
    assert set(row["detail"]) == {"Edits", "-Edits"}


# ---- queries -------------------------------------------------------------------------------------------------


def count(program, path: str, django_assert_max_num_queries) -> int:
    with django_assert_max_num_queries(25) as captured:
        assert program.get(path).status_code == 200
    return len(captured)


@pytest.mark.long
def test_a_list_takes_as_many_queries_for_many_rows_as_for_one(
    writer, dataset, evaluator, experiment, completed, django_assert_max_num_queries
):
    lists = [
        "datasets/",
        "evaluators/",
        "experiments/",
        "runs/",
        f"experiments/{experiment['id']}/",
        f"datasets/{dataset['id']}/examples/",
    ]
    before = [count(writer, path, django_assert_max_num_queries) for path in lists]
    for n in range(5):
        writer.create("datasets/", {"name": f"{n}", "examples": [{"inputs": "x"}]})
        writer.create("evaluators/", {"name": f"{n}", "kind": "exact_match"})
        body = {"name": f"{n}", "dataset": dataset["id"], "evaluators": [evaluator["id"]]}
        writer.create("experiments/", body)
        writer.create("runs/", {"experiment": experiment["id"], "variant": f"{n}", "outputs": []})

    after = [count(writer, path, django_assert_max_num_queries) for path in lists]

    assert [b - a for a, b in zip(before, after, strict=True)] == [
        0,
        0,
        0,
        1,
        1,
        0,
    ]  # One for figures so far.
