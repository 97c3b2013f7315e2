"""I6: workers die repeatedly while they call an embeddings server; no arrived answer is paid twice."""

import logging
import random
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests import factories
from tests.clients.stub import Reply, Stub, embedded

from . import undertaking
from .client import Client
from .conftest import Stage
from .site import Site

pytestmark = [pytest.mark.processes, pytest.mark.faults]
log = logging.getLogger(__name__)
SIZE, KILLS = 4_000, 20
LONG = " and so on" * 200  # long texts, so that a call holds a hundred of them and there are many calls
KEPT_WITHIN = 1  # seconds; 5 are allowed
COLUMNS = {"inputs": ["q"], "reference": ["a"], "outputs": {"v1": "v1"}}
ROWS = factories.jsonl(
    *({"q": "?", "a": f"answer {n}{LONG}", "v1": f"output {n}{LONG}"} for n in range(SIZE))
).encode()


@dataclass
class Call:
    """The texts of a request, and the times of its arrival and its answer."""

    texts: list[str]
    began: float
    ended: float = float("inf")

    def is_cut_off(self, kills: list[float]) -> bool:
        """Whether a worker died before it could store the answer."""
        return any(self.began <= moment <= self.ended + KEPT_WITHIN for moment in kills)


@dataclass
class Provider:
    """A server that answers after a delay, and records calls."""

    chance: random.Random
    calls: list[Call] = field(default_factory=list)

    def __call__(self, request: dict[str, Any]) -> Reply:
        self.calls.append(call := Call(request["input"], time.monotonic()))
        time.sleep(self.chance.uniform(0.1, 0.3))
        call.ended = time.monotonic()
        return embedded(request)

    @property
    def answered(self) -> int:
        return sum(call.ended < float("inf") for call in self.calls)

    def paid_again(self) -> Iterator[Call]:
        """The calls of which at least one text was sent again."""
        later: set[str] = set()
        for call in reversed(self.calls):
            if not later.isdisjoint(call.texts):
                yield call
            later.update(call.texts)


def semantic_run(client: Client, url: str, name: str) -> int:
    """A run of 4 000 examples with one semantic evaluator of a new connection."""
    connection = client.post("connections/", {"name": name, "base_url": url})["id"]
    config = {"connection": connection, "model": "tiny"}
    body = {"name": name, "kind": "semantic_similarity", "config": config}
    evaluator = client.post("evaluators/", body)["id"]
    dataset = client.upload("datasets/", ROWS, name=name, mapping=COLUMNS)["id"]
    imported_dataset = client.wait_for(
        f"datasets/{dataset}/", lambda state: state["status"] != "importing", 60
    )
    run = client.get(f"experiments/{imported_dataset['experiment']}/")["runs"][0]["id"]
    client.post(f"runs/{run}/scorings/", {"evaluators": [evaluator], "max_calls": 10**6})
    return run


def kill_the_workers_at_work(site: Site, provider: Provider, chance: random.Random) -> list[float]:
    """Kill workers twenty times, each after at least one more answer; returns the times."""
    moments = []
    for _ in range(KILLS):
        before = provider.answered
        while provider.answered == before:
            time.sleep(0.01)
        time.sleep(chance.uniform(0, 0.3))
        site.stop("worker")
        moments.append(time.monotonic())
        site.start("worker")
    return moments


def test_no_answer_that_arrived_is_paid_again(stage: Stage, chance, request):
    provider = Provider(chance)
    with closing(Stub(provider)) as stub:
        run = semantic_run(stage.client, stub.url, request.node.name)
        kills = kill_the_workers_at_work(stage.site, provider, chance)
        scored = undertaking.follow(stage.client, run)["scorings"][0]

    needed = {text for call in provider.calls for text in call.texts}
    repeated = list(provider.paid_again())
    log.info("%s calls, %s of them cut off by %s kills", len(provider.calls), len(repeated), KILLS)
    assert len(needed) == 2 * SIZE
    assert [call for call in repeated if not call.is_cut_off(kills)] == []
    assert repeated, "no call was cut off: the kills were too seldom to tell anything"
    assert scored["counts"]["scored"] == scored["n"] == SIZE
    assert scored["usage"]["tokens"] >= 2 * SIZE  # A token for each text, by the stub.
    assert len(provider.calls) - len(repeated) <= scored["usage"]["calls"] <= len(provider.calls)
