"""Compared examples, the scatter and verification by the API."""

import csv
import io
import json

import pytest

from evalsite_client import lines
from evaluations.comparisons import export

from .conftest import score_all
from .test_bodies import error


@pytest.fixture
def pair(writer, experiment):
    """Two runs: the second is right on b, where the first is wrong, and has a larger distance on c."""
    ids = []
    for variant, outputs in (("old", ("Paris", "Roma", "Madrid")), ("new", ("Paris", "Rome", "Lisbon"))):
        rows = [{"position": n, "output": output} for n, output in enumerate(outputs, 1)]
        body = {"experiment": experiment["id"], "variant": variant, "outputs": rows}
        ids.append(writer.create("runs/", body)["id"])
    score_all()
    return ids


@pytest.mark.parametrize(
    ("order", "keys"),
    [("regressions", ["c", "a", "b"]), ("improvements", ["b", "a", "c"]), ("disagreement", ["c", "b", "a"])],
)
def test_examples_come_in_the_order_that_is_asked_for(reader, pair, order, keys):
    rows = reader.get(f"comparisons/examples/?runs={pair[0]},{pair[1]}&order={order}").json()["results"]

    assert [row["key"] for row in rows] == keys


def test_an_example_has_the_texts_and_scores_of_every_run(reader, pair):
    row = reader.get(f"comparisons/examples/?runs={pair[0]},{pair[1]}").json()["results"][0]

    assert row["inputs"] == {"question": "Capital of Spain?"}
    baseline, run = row["runs"]
    assert (baseline["output"], baseline["gain"], run["output"]) == ("Madrid", None, "Lisbon")
    # Six letters, of which none stays where it was: a distance of 6 against 0.
    assert run["gain"] == -run["scores"]["Edits"]["value"]


def test_a_run_that_is_named_twice_is_refused(reader, pair):
    response = reader.get(f"comparisons/?runs={pair[0]},{pair[0]}")

    assert response.status_code == 400
    assert error(response)["fields"] == {"runs": [f"Run {pair[0]} is named twice."]}


def test_pages_follow_each_other_without_a_gap(reader, pair):
    address, keys = f"comparisons/examples/?runs={pair[0]},{pair[1]}&page_size=2", []
    while address:
        page = reader.get(address).json()
        keys += [row["key"] for row in page["results"]]
        address = page["next"]

    assert keys == ["c", "a", "b"]


def test_only_examples_with_an_outcome_are_given(reader, pair):
    rows = reader.get(f"comparisons/examples/?runs={pair[0]},{pair[1]}&outcome=better").json()["results"]

    assert [row["key"] for row in rows] == ["b"]


def test_the_scatter_counts_every_pair_once(reader, pair):
    answer = reader.get(f"comparisons/scatter/?runs={pair[0]},{pair[1]}").json()

    [run] = answer["runs"]
    assert (run["run"], run["n"]) == (pair[1], 3)
    assert sum(map(sum, run["counts"])) == 3
    assert len(run["counts"]) == len(run["edges"]) - 1


@pytest.mark.parametrize("path", ["examples", "scatter"])
def test_an_evaluator_that_scored_nothing_is_refused(reader, pair, path):
    answer = reader.get(f"comparisons/{path}/?runs={pair[0]},{pair[1]}&evaluator=other")

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "unknown_evaluator")


@pytest.mark.parametrize("path", ["examples", "scatter"])
def test_runs_of_strangers_are_not_found(stranger, pair, path):
    assert stranger.get(f"comparisons/{path}/?runs={pair[0]},{pair[1]}").status_code == 404


def test_a_run_is_verified(runner, pair):
    report = runner.post(f"runs/{pair[0]}/verify/").json()

    assert (report["drifted"], report["next"]) == (0, None)
    assert [(evaluator["name"], evaluator["examples"]) for evaluator in report["evaluators"]] == [
        ("Edits", 3)
    ]


@pytest.mark.parametrize("body", [{"after": -1}, {"after": "0"}, {"before": 1}])
def test_a_cursor_that_cannot_be_is_refused(runner, pair, body):
    assert runner.post(f"runs/{pair[0]}/verify/", body).status_code == 400


def test_a_report_comes_as_a_file_and_as_data(reader, pair):
    address = f"comparisons/report/?runs={pair[0]},{pair[1]}"

    file, answer = reader.get(address, Accept="text/html"), reader.get(f"{address}&format=json").json()

    assert file.headers["Content-Type"].startswith("text/html")
    assert "default-src 'none'" in file.headers["Content-Security-Policy"]
    parts = {"comparison": "", "slices": "slices/", "corpus": "corpus/", "agreement": "agreement/"}
    for part, result in parts.items():
        assert answer[part] == reader.get(f"comparisons/{result}?runs={pair[0]},{pair[1]}").json()
    assert [regression["key"] for regression in answer["regressions"]] == ["c"]
    assert {source["kind"] for source in answer["sources"]} == {"dataset", "run", "evaluator"}


def test_a_report_has_the_checks_of_its_gates_as_the_gates_give_them(writer, pair):
    body = {"name": "ship", "baseline": pair[0], "criteria": [{"rule": "answered", "value": 0.5}]}
    gate = writer.create("gates/", body)

    report = writer.get(f"comparisons/report/?runs={pair[0]},{pair[1]}&format=json").json()

    [shown] = report["gates"]
    [check] = shown["checks"]
    alone = writer.get(f"gates/{gate['id']}/check/?run={pair[1]}").json()
    assert (shown["gate"], report["gates_left_out"]) == (gate, 0)
    assert check | {"created_at": None} == alone | {"created_at": None}


def test_every_surface_has_the_same_figures_to_the_last_digit(reader, pair, client, alice):
    """One function computes a comparison; page, API, report, CSV, workbook and command line only write it."""
    runs = f"?runs={pair[0]},{pair[1]}"
    answer = reader.get(f"comparisons/{runs}").json()
    report = reader.get(f"comparisons/report/{runs}&format=json").json()["comparison"]
    table = list(csv.DictReader(io.StringIO(reader.get(f"comparisons/export/{runs}").content.decode())))
    client.force_login(alice)
    page = client.get(f"/compare/{runs}").context["comparison"]
    workbook = [
        row for row in export.summary(page) if row and row[0] == answer["entries"][0]["evaluator"]["name"]
    ]

    names = ("n", "mean", "baseline_mean", "difference", "p_corrected")
    figures = [[entry[name] for name in names] for entry in answer["entries"]]
    ends = [entry["interval"] for entry in answer["entries"]]
    rows = [row for row in table if row["role"] != "measure"]
    assert figures
    assert [[entry[name] for name in names] for entry in report["entries"]] == figures
    assert [[getattr(entry.paired, name) for name in names] for entry in page.figures.entries] == figures
    assert [list(entry.paired.interval) for entry in page.figures.entries] == ends
    assert [[json.loads(row[name]) for name in names] for row in rows] == figures
    assert [[json.loads(row["low"]), json.loads(row["high"])] for row in rows] == ends
    columns = [[*export.SUMMARY].index(name) for name in names[1:4]]
    assert [float(workbook[0][column]) for column in columns] == figures[0][1:4]
    assert page.sentence.text == answer["sentence"] == report["sentence"]
    assert next(lines.comparison(answer)) == answer["sentence"]
    for pk, mean in zip(reversed(pair), figures[0][1:3], strict=True):
        scorings = {one["evaluator"]["id"]: one for one in reader.get(f"runs/{pk}/").json()["scorings"]}
        assert scorings[answer["entries"][0]["evaluator"]["id"]]["mean"] == mean
