"""Launches while workers die, and Redis and the database go away: each example is answered once.

`test_the_main_job` takes questions and solutions from the file that EVALSITE_SOLUTIONS names: a JSON object a line with
`question`, `ground_truth` and, by the name of a model, an object with `solution`.
"""

import json
import logging
import os
import random
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests import factories
from tests.clients.stub import Stub
from tests.processes import wait_until

from .client import Client
from .conftest import Stage, vendor
from .model_server import ModelServer, Trouble
from .site import DATABASE_FAULTS, Site

pytestmark = [pytest.mark.processes, pytest.mark.faults]
log = logging.getLogger(__name__)
COLUMNS = {"inputs": ["question"], "reference": ["answer"]}
SIZE = 600
FAULTS = (
    Site.kill_the_workers,
    Site.kill_a_child,
    Site.kill_everything,
    Site.flush_the_broker,
    Site.restart_the_broker,
    Site.suspend_a_worker,
    Site.deploy,
    *(DATABASE_FAULTS if vendor() == "postgresql" else ()),
)
SOLUTIONS = os.environ.get("EVALSITE_SOLUTIONS")
MODELS = ("175b_finetuning", "175b_verification")
REPETITIONS, RATE, KILLS, BUDGET = 3, 50, 20, "1.00"
CHECK = "\n\nCheck the units."


def launch(
    client: Client, url: str, name: str, rows: list[dict[str, str]], prompts: dict[str, str], **options: Any
) -> dict[str, Any]:
    """Start a launch of one prompt for each of these models, given the texts of its messages."""
    server = client.post("connections/", {"name": name, "base_url": url})["id"]
    for model in prompts:
        price = {"model": model, "input": "0.10", "output": "0.40"}
        client.post(f"connections/{server}/prices/", price)
    dataset = client.upload("datasets/", factories.jsonl(*rows).encode(), name=name, mapping=COLUMNS)["id"]
    client.wait_for(f"datasets/{dataset}/", lambda state: state["status"] != "importing", 60)
    evaluator = client.post("evaluators/", {"name": name, "kind": "exact_match"})["id"]
    variants = [
        {"prompt": prompt(client, f"{name} {model}", model, server, text)} for model, text in prompts.items()
    ]
    body = {"name": name, "dataset": dataset, "evaluators": [evaluator], "variants": variants}
    return client.post("launches/", body | {"cache": False} | options)


def prompt(client: Client, name: str, model: str, server: int, text: str) -> int:
    body = {
        "name": name,
        "messages": [{"role": "user", "content": text}],
        "model": model,
        "connection": server,
        "parameters": {"max_completion_tokens": 400},
    }
    return client.post("prompts/", body)["id"]


def wait_for_answers(server: ModelServer, count: int, seconds: float = 300) -> None:
    wait_until(lambda: len(server.paid) >= count, f"{count} answers", seconds)


def kill_the_workers(site: Site, server: ModelServer, chance: random.Random, times: int) -> list[float]:
    """Kill the workers `times` times, each after at least some more answers; returns the times."""
    moments = []
    for _ in range(times):
        wait_for_answers(server, len(server.paid) + chance.randrange(20, 150))
        site.stop("worker")
        moments.append(time.monotonic())
        site.start("worker")
    return moments


def outputs_of(client: Client, run: int) -> list[dict[str, Any]]:
    return [json.loads(line) for line in client.export(run, "jsonl").splitlines()]


def finished(client: Client, launch_id: int, seconds: float) -> dict[str, Any]:
    return client.wait_for(f"launches/{launch_id}/", lambda state: state["status"] != "running", seconds)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_launch_outlasts(stage: Stage, chance, request, fault: Callable[[Site, random.Random], None]):
    """The fault happens three times. Every example is answered, and no stored answer is paid again."""
    server = ModelServer(
        lambda body: body["messages"][0]["content"],
        Trouble(failed=0.02, malformed=0.01),
        chance,
        latency=(2.0, 4.0),  # so that answers are still missing at the last fault
    )
    rows = [{"question": f"question {n}", "answer": f"question {n}"} for n in range(SIZE)]
    with closing(Stub(server)) as stub:
        started = launch(stage.client, stub.url, request.node.name, rows, {"tiny": "{{ question }}"})
        for _ in range(3):
            wait_for_answers(server, min(len(server.paid) + 20, SIZE))
            fault(stage.site, chance)
            stage.site.repair()
        ended = finished(stage.client, started["id"], 180)

    assert (ended["status"], ended["progress"]) == ("completed", {"done": SIZE, "total": SIZE}), ended
    assert ended["errors"] == {}
    [run] = ended["runs"]
    assert [row["output"] for row in outputs_of(stage.client, run)] == [row["question"] for row in rows]
    again = Counter(call.body for call in server.paid)
    log.info("%s answers paid for %s examples", again.total(), SIZE)
    assert len(again) == SIZE
    assert Decimal(ended["spent"]) >= Decimal(again.total() * (120 * 10 + 80 * 40)) / 10**8


def solutions() -> tuple[list[dict[str, str]], Callable[[dict[str, Any]], str]]:
    """The questions, and the solutions of each model."""
    read = [json.loads(line) for line in Path(str(SOLUTIONS)).read_text().splitlines()]
    by_question = {row["question"]: row for row in read}

    def solved(request: dict[str, Any]) -> str:
        question = request["messages"][0]["content"].removesuffix(CHECK)
        return by_question[question][request["model"]]["solution"] or "I do not know."

    return [{"question": row["question"], "answer": row["ground_truth"]} for row in read], solved


@pytest.mark.skipif(not SOLUTIONS, reason="EVALSITE_SOLUTIONS names no file of questions and solutions")
@pytest.mark.parametrize("workers", [1, 4])
def test_the_main_job(stage: Stage, chance, request, monkeypatch, workers: int):
    """Questions × 2 prompts × 3 repetitions at 50 calls a second; in the second half, workers die twenty times.

    A worker is a process; all of them die together.
    """
    rows, solved = solutions()
    trouble = Trouble(RATE, failed=0.02, hangs=0.01, malformed=0.005, cut=0.005)
    server, expected = ModelServer(solved, trouble, chance), len(rows) * 2 * REPETITIONS
    texts = {MODELS[0]: "{{ question }}", MODELS[1]: "{{ question }}" + CHECK}
    options = {"repetitions": REPETITIONS, "budget": BUDGET, "tolerated_failures": 0.2}
    stage.site.stop("worker")
    monkeypatch.setattr(stage.site, "processes", workers)
    stage.site.repair()
    with closing(Stub(server)) as stub:
        began = time.monotonic()
        started = launch(stage.client, stub.url, request.node.name, rows, texts, **options)
        wait_for_answers(server, expected // 2)
        reached = server.rate_between(RATE * 5, expected // 2 - 1) / RATE
        kills = kill_the_workers(stage.site, server, chance, KILLS)
        ended = finished(stage.client, started["id"], 600)
    seconds = time.monotonic() - began

    stored = [row for run in ended["runs"] for row in outputs_of(stage.client, run)]
    answered, named = sum(row["output"] is not None for row in stored), sum(ended["errors"].values())
    paid_again = sum(max(0, n - REPETITIONS) for n in Counter(call.body for call in server.paid).values())
    cut_off = sum(call.is_cut_off(kills) for call in server.paid)
    log.info("%s answers and %s named failures of %s in %.0f s", answered, ended["errors"], expected, seconds)
    log.info("%.0f %% of the rate before the kills; server: %s", 100 * reached, dict(server.outcomes))
    log.info("paid %s, %s of them again, %s under way at a kill", len(server.paid), paid_again, cut_off)
    log.info("spent %s of %s", ended["spent"], BUDGET)
    assert ended["status"] == "completed", ended
    assert (len(stored), answered + named) == (expected, expected)
    assert 0 < paid_again <= cut_off
    assert Decimal(ended["spent"]) <= Decimal(BUDGET)
