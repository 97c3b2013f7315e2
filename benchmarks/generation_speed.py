"""Measures launches (answers per second, pages meanwhile) against a bare asyncio loop with the `openai` package."""

import asyncio
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from openai import AsyncOpenAI

from benchmarks.page_speed import Browser
from benchmarks.site import Site

MODEL, QUESTION = "stand-in", "What is {n} and {n}?"


@dataclass(frozen=True)
class Speed:
    """Answers per second by the site and by the bare loop; 95th percentiles of pages in ms, idle and meanwhile."""

    site: float
    bare: float
    idle: float
    meanwhile: float


@contextmanager
def stand_in(latency: float, limit: int = 0) -> Iterator[str]:
    """Start a model server that takes `latency` seconds per answer and, unless 0, `limit` calls in any second.

    Yields its base address.
    """
    command = [sys.executable, "-m", "benchmarks.chat_stand_in", str(latency), str(limit)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
    finally:
        process.terminate()
        process.wait()


def measure(site: Site, base_url: str, calls: int, in_flight: int) -> Speed:
    prompt, dataset = _prepared(site, base_url, calls)
    pages = _Pages(site.link)
    idle = pages.look(seconds=5.0)
    began = time.perf_counter()
    launch = site.post(
        "launches/", {"name": "speed", "dataset": dataset, "evaluators": [], "variants": [{"prompt": prompt}]}
    )
    with pages.looked_at() as meanwhile:
        site.wait(f"runs/{launch['runs'][0]}/", lambda now: now["status"] != "generating")
        seconds = time.perf_counter() - began
    with pages.looked_at():  # the same load during both measurements
        bare = asyncio.run(_bare(base_url, calls, in_flight))
    return Speed(calls / seconds, calls / bare, _late(idle), _late(meanwhile))


def limited(site: Site, base_url: str, calls: int) -> tuple[float, float]:
    """Answers per second of a launch against a server with a limit, and the share of calls that it refused."""
    prompt, dataset = _prepared(site, base_url, calls)
    began = time.perf_counter()
    launch = site.post(
        "launches/",
        {"name": "limited", "dataset": dataset, "evaluators": [], "variants": [{"prompt": prompt}]},
    )
    run = site.wait(f"runs/{launch['runs'][0]}/", lambda now: now["status"] != "generating")
    seconds = time.perf_counter() - began
    made = site.get(f"runs/{run['id']}/")["usage"]["calls"]
    return calls / seconds, 1 - calls / made


def _prepared(site: Site, base_url: str, calls: int) -> tuple[int, int]:
    """Create a prompt and a dataset; returns their ids."""
    server = site.post(
        "connections/", {"name": "stand-in", "base_url": base_url, "api_key": "sk-stand-in-0000"}
    )
    content = [{"role": "user", "content": "{{ question }}"}]
    prompt = site.post(
        "prompts/", {"name": "speed", "messages": content, "model": MODEL, "connection": server["id"]}
    )
    rows = [
        {"inputs": {"question": QUESTION.format(n=n)}, "reference": {"answer": str(n)}} for n in range(calls)
    ]
    dataset = site.post("datasets/", {"name": "speed", "examples": rows})
    return prompt["id"], dataset["id"]


async def _bare(base_url: str, calls: int, in_flight: int) -> float:
    """The seconds for the same calls by a minimal script."""
    async with AsyncOpenAI(base_url=base_url, api_key="sk-stand-in-0000", max_retries=0) as client:
        room = asyncio.Semaphore(in_flight)

        async def ask(n: int) -> Any:
            async with room:
                message: Any = {"role": "user", "content": QUESTION.format(n=n)}
                return await client.chat.completions.create(model=MODEL, messages=[message])

        began = time.perf_counter()
        await asyncio.gather(*(ask(n) for n in range(calls)))
        return time.perf_counter() - began


class _Pages:
    """Requests pages one after the other."""

    PATHS = ("/", "/p/default/datasets/", "/p/default/evaluators/", "/p/default/prompts/")

    def __init__(self, link: str) -> None:
        self.browser = Browser(link)

    def look(self, seconds: float) -> list[float]:
        until, spent = time.perf_counter() + seconds, []
        while time.perf_counter() < until:
            spent += [self.browser.seconds(path) for path in self.PATHS]
        return spent

    @contextmanager
    def looked_at(self) -> Iterator[list[float]]:
        """Collect the response times of pages while the block runs."""
        spent: list[float] = []
        ended = threading.Event()

        def look() -> None:
            while not ended.is_set():
                spent.extend(self.browser.seconds(path) for path in self.PATHS)

        looking = threading.Thread(target=look)
        looking.start()
        try:
            yield spent
        finally:
            ended.set()
            looking.join()


def _late(spent: Sequence[float]) -> float:
    """The 95th percentile of the times, in ms."""
    return 1_000 * statistics.quantiles(spent, n=20)[-1]
