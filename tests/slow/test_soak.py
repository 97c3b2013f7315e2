"""A site that is looked at without pause, and whose data do not change, needs no more memory after an hour.

`SOAK_MINUTES` (90) says for how long; the growth counts from the thirtieth minute on. The samples are printed.
"""

import itertools
import os
import sys
import time
from collections.abc import Iterator

import httpx2
import numpy as np
import psutil
import pytest

from tests import factories
from tests.faults.client import Client
from tests.faults.site import Site

from . import people

MINUTES = float(os.environ.get("SOAK_MINUTES", "90"))
WARM = min(30.0, MINUTES / 3)  # minutes until caches are full
SAMPLE = 30.0  # seconds
PACE = float(os.environ.get("SOAK_PACE", "0.2"))  # seconds of rest between two requests
SIZE, VARIANTS, EXPERIMENTS = 2_000, 4, 2
MOST_GROWTH = 0.01  # an hour

pytestmark = pytest.mark.slow


def say(line: str) -> None:
    """Print at once: the test takes long."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def outputs(n: int) -> dict[str, str]:
    return {f"v{variant}": f"answer {n} {'again ' * (n * variant % 7)}" for variant in range(VARIANTS)}


def fill(client: Client) -> list[list[int]]:
    """Experiments with runs of every variant; returns the ids of the runs by experiment."""
    kinds = ("exact_match", "levenshtein_similarity", "rouge_l")
    evaluators = [client.post("evaluators/", {"name": kind, "kind": kind})["id"] for kind in kinds]
    rows = (
        {"key": f"k{n}", "q": f"question {n}", "topic": f"t{n % 9}", "a": f"answer {n}"} for n in range(SIZE)
    )
    mapping = {"inputs": ["q"], "reference": ["a"], "metadata": ["topic"], "key": "key"}
    dataset = client.upload("datasets/", factories.jsonl(*rows).encode(), name="soak", mapping=mapping)["id"]
    client.wait_for(f"datasets/{dataset}/", lambda state: state["status"] == "ready", 120)
    runs = []
    for number in range(EXPERIMENTS):
        body = {"name": f"experiment {number}", "dataset": dataset, "evaluators": evaluators}
        experiment = client.post("experiments/", body)["id"]
        answers = factories.jsonl(*({"key": f"k{n}", **outputs(n + number)} for n in range(SIZE))).encode()
        runs.append(
            [
                client.upload(
                    "runs/",
                    answers,
                    experiment=experiment,
                    variant=f"v{variant}",
                    mapping={"output": f"v{variant}", "key": "key"},
                )["id"]
                for variant in range(VARIANTS)
            ]
        )
    for run in itertools.chain(*runs):
        client.wait_for(f"runs/{run}/", lambda state: state["status"] == "completed", 300)
    return runs


def looks(runs: list[list[int]], pages: list[str]) -> Iterator[tuple[str, str]]:
    """Pages, comparisons, reports and exports for ever: kind of caller and address."""
    api = []
    for group in runs:
        names = ",".join(map(str, group))
        api += [f"comparisons/?runs={names}", f"comparisons/?runs={names}&metadata[topic]=t1"]
        api += [f"comparisons/report/?runs={names}", f"comparisons/examples/?runs={names}"]
        for run in group:
            api += [f"runs/{run}/", f"runs/{run}/results/?page_size=100", f"runs/{run}/export/?format=csv"]
            api += [f"runs/{run}/export/?format=jsonl"]
    for turn in itertools.count():
        for number, page in enumerate(pages):
            yield "page", page
            if number % 2 == turn % 2:
                yield "api", api[(number + turn * 7) % len(api)]


def anonymous_memory(pid: int) -> float:
    """The megabytes that a process and its children hold and share with nobody's file (RssAnon)."""
    parent = psutil.Process(pid)
    kilobytes = 0
    for process in (parent, *parent.children(recursive=True)):
        with open(f"/proc/{process.pid}/status") as status:
            kilobytes += next(int(line.split()[1]) for line in status if line.startswith("RssAnon"))
    return kilobytes / 1000


def growth(samples: list[tuple[float, float]]) -> float:
    """The share by which memory grows in an hour, by a line through the samples (minutes, megabytes)."""
    minutes, memory = np.array(samples).T
    slope, start = np.polyfit(minutes - minutes[0], memory, 1)
    return float(60 * slope / start)


def test_constant_data_need_constant_memory():
    site = Site(os.environ.get("SOAK_DATABASE", "sqlite"))
    try:
        client = site.begin()
        runs = fill(client)
        browser = people.signed_in(site)
        pages = [*people.links(browser, "/", 150)]
        web = site.running["web"][0].popen.pid
        say(f"{len(pages)} pages; minutes, MB of web, requests, slowest second")
        samples, states = watch(client.http, browser, web, looks(runs, pages))
        assert set(states) <= {200, 404, 409, 429}, states
    finally:
        site.end()
    late = [sample for sample in samples if sample[0] >= WARM]
    say(
        f"growth from minute {WARM:g} on: {growth(late):+.2%} an hour, in {late[-1][0] - late[0][0]:.0f} minutes"
    )
    assert growth(late) < MOST_GROWTH


def watch(
    api: httpx2.Client, browser: httpx2.Client, web: int, addresses: Iterator[tuple[str, str]]
) -> tuple[list[tuple[float, float]], dict[int, int]]:
    """Ask for the addresses until time is up; returns the samples of memory and the number of answers by status."""
    samples: list[tuple[float, float]] = []
    states: dict[int, int] = {}
    began = sampled = time.monotonic()
    slowest = 0.0
    while (now := time.monotonic()) < began + 60 * MINUTES:
        if not samples or now >= sampled + SAMPLE:
            sampled = now
            samples.append(((now - began) / 60, anonymous_memory(web)))
            say(f"{samples[-1][0]:6.1f} {samples[-1][1]:7.1f} {sum(states.values()):6} {slowest:5.1f}")
            slowest = 0.0
        caller, address = next(addresses)
        answer = (browser if caller == "page" else api).get(address)
        states[answer.status_code] = states.get(answer.status_code, 0) + 1
        slowest = max(slowest, time.monotonic() - now)
        time.sleep(PACE)
    return samples, states
