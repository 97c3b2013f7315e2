"""A complete undertaking by HTTP, from a file to averages, and the checks at its end."""

import csv
import io
import json
import math
import time
from typing import Any

import pytest
from rapidfuzz.distance import Levenshtein

from tests import factories

from .client import LOOK_EVERY, Client

SIZE = 12_000
PAIRS = [(f"the answer is {n}", f"the answer is {n * 7 % SIZE}") for n in range(SIZE)]
EXPECTED = {
    "same text": [float(reference == output) for reference, output in PAIRS],
    "levenshtein": [float(Levenshtein.distance(reference, output)) for reference, output in PAIRS],
}
KINDS = {"same text": "exact_match", "levenshtein": "levenshtein_distance"}
EXAMPLES = factories.jsonl(
    *({"key": f"k{n}", "q": f"question {n}", "a": reference} for n, (reference, _) in enumerate(PAIRS))
).encode()
OUTPUTS = factories.jsonl(*({"key": f"k{n}", "v1": output} for n, (_, output) in enumerate(PAIRS))).encode()
COLUMNS = {"inputs": ["q"], "reference": ["a"], "key": "key"}
ORDER = ["draft", "queued", "running", "completed"]


def make_evaluators(client: Client) -> list[int]:
    """Exact match and Levenshtein distance: deterministic, so no fault may change a score (I3)."""
    new_evaluators = [
        client.post("evaluators/", {"name": name, "kind": kind}) for name, kind in KINDS.items()
    ]
    return [evaluator["id"] for evaluator in new_evaluators]


def begin(
    client: Client, name: str, evaluators: list[int], outputs: bytes = OUTPUTS, wait: float = 120
) -> int:
    """Upload a dataset and outputs as two files; returns the id of the run, whose outputs are still being imported."""
    dataset = client.upload("datasets/", EXAMPLES, name=name, mapping=COLUMNS)
    path = f"datasets/{dataset['id']}/"
    dataset = client.wait_for(path, lambda state: state["status"] != "importing", wait)
    assert (dataset["status"], dataset["example_count"]) == ("ready", SIZE), dataset["errors"]
    body = {"name": name, "dataset": dataset["id"], "evaluators": evaluators}
    experiment = client.post("experiments/", body)["id"]
    mapping = {"output": "v1", "key": "key"}
    return client.upload("runs/", outputs, experiment=experiment, variant="v1", mapping=mapping)["id"]


def follow(client: Client, run: int, wait: float = 120) -> dict[str, Any]:
    """Watch a run to its end (I4); progress never exceeds the total and never falls (I2)."""
    deadline = time.monotonic() + wait
    stage, scored = 0, 0
    while True:
        state = client.get(f"runs/{run}/")
        assert state["status"] in ORDER, state
        assert ORDER.index(state["status"]) >= stage, f"back to {state['status']}"
        assert scored <= state["progress"]["done"] <= state["progress"]["total"], state["progress"]
        stage, scored = ORDER.index(state["status"]), state["progress"]["done"]
        if state["status"] == "completed":
            return state
        assert time.monotonic() < deadline, f"not within {wait:.0f} s: {state}"
        time.sleep(LOOK_EVERY)


def undertake(client: Client, name: str, evaluators: list[int]) -> int:
    """The whole undertaking; returns the id of the completed run."""
    run = begin(client, name, evaluators)
    follow(client, run)
    return run


def assert_whole(client: Client, run: int) -> None:
    """I1 to I3: every example once, every score once and correct, and pages, API and exports show the same figures."""
    exported = [json.loads(line) for line in client.export(run, "jsonl").splitlines()]
    table = list(csv.DictReader(io.StringIO(client.export(run, "csv"))))
    listed = list(client.pages(f"runs/{run}/results/"))
    described = client.get(f"runs/{run}/")

    for rows in (exported, table, listed):
        assert [int(row["position"]) for row in rows] == list(range(1, SIZE + 1))
    assert [row["output"] for row in exported] == [output for _, output in PAIRS]
    assert (described["progress"]["done"], described["progress"]["total"]) == (SIZE, SIZE)
    assert described["output_count"] == SIZE
    for name in ("key", "output", "scores"):
        assert [row[name] for row in listed] == [row[name] for row in exported]
    assert {scored["evaluator"]["name"] for scored in described["scorings"]} == set(EXPECTED)
    for figures in described["scorings"]:
        name = figures["evaluator"]["name"]
        scores = [row["scores"][name] for row in exported]
        assert {score["status"] for score in scores} == {"scored"}
        values = [score["value"] for score in scores]
        assert values == EXPECTED[name]
        assert [float(row[name]) for row in table] == values
        assert figures["n"] == figures["counts"]["total"] == sum(figures["histogram"]["counts"]) == SIZE
        assert figures["mean"] == pytest.approx(math.fsum(values) / SIZE, abs=1e-9)
