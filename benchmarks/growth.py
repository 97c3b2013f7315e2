"""Measures the job of a large dataset beside that of one a tenth of its size, in one site: time and memory."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import page_speed
from benchmarks.examples import write_examples
from benchmarks.page_speed import Browser, Stock
from benchmarks.site import Site, descendants

TIMES = 10
BETWEEN = 0.2  # seconds between two looks at the memory
KINDS = ("evalsite.server", "celery", "redis")


@dataclass(frozen=True)
class Stage:
    """Wall-clock and processor seconds of a part of the job, and the most MB that one process of each kind held."""

    name: str
    seconds: float
    processors: float
    memory: dict[str, float]


@dataclass
class _Peaks:
    """The most memory of its own (`RssAnon`: not files that the system can drop) that a process of each kind held."""

    site: Site
    most: dict[str, float] = field(default_factory=dict)
    ended: threading.Event = field(default_factory=threading.Event)

    def watch(self) -> None:
        while not self.ended.wait(BETWEEN):
            for pid in descendants(self.site.process.pid):
                self._look(pid)

    def _look(self, pid: int) -> None:
        try:
            command = Path(f"/proc/{pid}/cmdline").read_text()
            status = Path(f"/proc/{pid}/status").read_text().splitlines()
        except (FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            return
        kind = next((kind for kind in KINDS if kind in command), "others")
        own = next((int(line.split()[1]) / 1024 for line in status if line.startswith("RssAnon")), 0.0)
        self.most[kind] = max(self.most.get(kind, 0.0), own)


@contextmanager
def _stage(site: Site, name: str, stages: list[Stage]) -> Iterator[None]:
    peaks = _Peaks(site)
    watcher = threading.Thread(target=peaks.watch)
    watcher.start()
    began, before = time.perf_counter(), site.processor_seconds()
    try:
        yield
    finally:
        seconds, processors = time.perf_counter() - began, site.processor_seconds() - before
        peaks.ended.set()
        watcher.join()
        stages.append(Stage(name, seconds, processors, peaks.most))


def job(
    site: Site, browser: Browser, file: Path, rows: int, evaluators: list[int]
) -> tuple[Stock, list[Stage]]:
    """Upload `file` with two variants, score both by the evaluators, and open their comparison for the first time."""
    stages: list[Stage] = []
    with _stage(site, "upload", stages):
        dataset = site.upload(file, {"model": "answer", "echo": "question"})
    with _stage(site, "import", stages):
        dataset = site.wait(f"datasets/{dataset['id']}/", lambda now: now["status"] != "importing")
    if dataset["status"] != "ready":
        raise SystemExit(f"The import failed: {dataset['errors']}")
    runs = site.get(f"experiments/{dataset['experiment']}/")["runs"]
    with _stage(site, f"{len(evaluators) * len(runs)} columns of scores", stages):
        for run in runs:
            site.score(run["id"], evaluators)
    stock = Stock(rows, dataset["id"], dataset["experiment"], runs[0]["id"], evaluators)
    with _stage(site, "comparison", stages):
        browser.seconds(stock.address(page_speed.PAGES["experiment"]))
    return stock, stages


def report(
    site: Site, folder: Path, rows: int, seed: int, evaluators: list[int], repeats: int
) -> Iterator[str]:
    """Lines of the stages of both jobs, and of the pages of both datasets afterwards."""
    browser = Browser(site.link)
    stocks, jobs = [], []
    for size in (rows // TIMES, rows):
        file = folder / "examples.csv"
        write_examples(file, size, seed)
        stock, stages = job(site, browser, file, size, evaluators)
        stocks.append(stock)
        jobs.append(stages)
        yield from _stages(size, stages)
    yield from ratios(*jobs)
    small, large = stocks
    yield from page_speed.pages(browser, small, large, repeats)


def _stages(size: int, stages: list[Stage]) -> Iterator[str]:
    yield f"{f'{size:,} examples':<24}{'seconds':>10}{'processors':>12}   most memory of a process, MB"
    for stage in stages:
        memory = ", ".join(f"{kind} {most:.0f}" for kind, most in sorted(stage.memory.items()))
        yield f"{stage.name:<24}{stage.seconds:>10.1f}{stage.processors:>12.1f}   {memory}"
    yield f"{'whole':<24}{_sum(stages, _seconds):>10.1f}{_sum(stages, _processors):>12.1f}"


def ratios(small: list[Stage], large: list[Stage]) -> Iterator[str]:
    """Lines that divide the wall-clock and processor seconds of the stages of `large` by those of `small`."""
    yield f"{f'times, for {TIMES} times the rows':<36}"
    for one, other in zip(small, large, strict=True):
        times, processors = other.seconds / one.seconds, other.processors / one.processors
        yield f"{one.name:<24}{times:>10.1f}{processors:>12.1f}"
    times, processors = (_sum(large, of) / _sum(small, of) for of in (_seconds, _processors))
    yield f"{'whole':<24}{times:>10.1f}{processors:>12.1f}"


def _seconds(stage: Stage) -> float:
    return stage.seconds


def _processors(stage: Stage) -> float:
    return stage.processors


def _sum(stages: list[Stage], of: Callable[[Stage], float]) -> float:
    return sum(map(of, stages))
