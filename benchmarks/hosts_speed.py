"""Measures a site on several machines: what hosts with a worker, readers and calls cost, and what failures lose."""

import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import psycopg

from benchmarks import page_speed, web_speed
from benchmarks.hosts import MODEL_PORT, SAMPLED, Hosts
from benchmarks.site import unique

TEXT_KINDS = (
    "exact_match",
    "levenshtein_similarity",
    "levenshtein_distance",
    "similarity_match",
    "content_similarity",
)
READING = 10.0  # seconds
BETWEEN = 3.0  # seconds from one harm to the next
STARTING = 20.0  # seconds until a caller is there, so that its start is not counted
READERS = (1, 8, 32)
IN_FLIGHT = (64, 256, 1_000)
CALLS = 8  # for each in flight
CHUNKS = (
    "SELECT count(*) FROM evaluations_chunk c JOIN evaluations_job j ON j.id = c.job_id WHERE j.run_id = %s"
)
ATTEMPTS = "SELECT coalesce(max(attempt), 0) FROM evaluations_import"
TRANSACTIONS = "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()"
WAITS = (
    "SELECT count(*) FILTER (WHERE wait_event_type = 'Lock'), count(*) FILTER (WHERE wait_event_type IS NOT NULL),"
    " count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()"
)


@dataclass(frozen=True)
class Scored:
    """One scoring of a run by five evaluators. Times in seconds; `waits` are shares of the samples of busy sessions."""

    hosts: int
    rows: int
    seconds: float
    workers: float
    database: float
    chunks: int
    queries: int
    transactions: int
    lock_waits: float
    means: dict[str, tuple[float, int]]

    def lines(self) -> Iterator[str]:
        yield f"{self.hosts} host(s) with a worker{self.rows / self.seconds:>15,.0f} rows/s"
        each = 1e6 / self.rows
        yield f"  processor, workers {self.workers * each:.1f} and database {self.database * each:.1f} s a million rows"
        yield (
            f"  {self.chunks} chunks, {self.queries / self.chunks:.1f} queries and"
            f" {self.transactions / self.chunks:.1f} transactions each"
        )
        yield f"  {self.lock_waits:.2%} of the samples of busy sessions wait for a lock"


@dataclass(frozen=True)
class Work:
    """What is scored: a file with its mapping (None for generated examples), and kinds of evaluators."""

    file: Path
    mapping: Mapping[str, Any] | None
    kinds: Sequence[str]


@dataclass(frozen=True)
class Harm:
    """How many calls a launch makes meanwhile, and for how many seconds two hosts are cut off."""

    calls: int
    cut: float


class Stock:
    """A dataset with one or more runs on the hosts; `attempts` counts the workers that read its file."""

    def __init__(self, hosts: Hosts, work: Work) -> None:
        self.hosts, self.kinds, self.attempts = hosts, work.kinds, 0
        dataset = hosts.site.upload(work.file, {"model": "answer", "echo": "question"}, work.mapping)
        with psycopg.connect(hosts.database_url, autocommit=True) as database:

            def is_read(now: dict[str, Any]) -> bool:
                self.attempts = max(self.attempts, one(database, ATTEMPTS))
                return bool(now["status"] != "importing")

            dataset = hosts.site.wait(f"datasets/{dataset['id']}/", is_read)
        if dataset["status"] != "ready":
            raise SystemExit(f"The import failed: {dataset['errors']}")
        self.rows, self.dataset = dataset["example_count"], dataset["id"]
        self.experiment = dataset["experiment"]
        self.run, *self.others = (
            run["id"] for run in hosts.site.get(f"experiments/{self.experiment}/")["runs"]
        )

    def evaluators(self) -> dict[int, str]:
        post = self.hosts.site.post
        return {post("evaluators/", {"name": unique(kind), "kind": kind})["id"]: kind for kind in self.kinds}

    def means(self, evaluators: Mapping[int, str]) -> dict[str, tuple[float, int]]:
        """The mean and the number of scores by kind."""
        found = {}
        for scoring in self.hosts.site.get(f"runs/{self.run}/")["scorings"]:
            if kind := evaluators.get(scoring["evaluator"]["id"]):
                found[kind] = (scoring["mean"], scoring["n"])
        return found

    def score(self, hosts: int) -> Scored:
        evaluators = self.evaluators()
        at = self.hosts.at
        before = (
            at["work1"].processor_seconds() + at["work2"].processor_seconds(),
            self.hosts.database_seconds(),
        )
        with (
            psycopg.connect(self.hosts.database_url, autocommit=True) as database,
            sampled(self.hosts) as waits,
        ):
            transactions, queries = one(database, TRANSACTIONS), logged(self.hosts)
            began = time.perf_counter()
            self.hosts.site.post(f"runs/{self.run}/scorings/", {"evaluators": list(evaluators)})
            chunks = one(database, CHUNKS, self.run)
            self.hosts.site.wait(f"runs/{self.run}/", lambda now: now["status"] not in ("queued", "running"))
            seconds = time.perf_counter() - began
            time.sleep(1.5)  # until PostgreSQL has counted
            transactions = one(database, TRANSACTIONS) - transactions
        after = (
            at["work1"].processor_seconds() + at["work2"].processor_seconds(),
            self.hosts.database_seconds(),
        )
        return Scored(
            hosts,
            self.rows,
            seconds,
            after[0] - before[0],
            after[1] - before[1],
            max(chunks, 1),
            round((logged(self.hosts) - queries) / SAMPLED),
            transactions,
            sum(lock for lock, *_ in waits) / max(1, sum(busy for *_, busy in waits)),
            self.means(evaluators),
        )


def one(database: "psycopg.Connection[Any]", query: str, *values: object) -> int:
    row = database.execute(query, values or None).fetchone()
    return int(row[0]) if row else 0


def logged(hosts: Hosts) -> int:
    """How many statements PostgreSQL has written to its log."""
    return len(
        re.findall(
            rb"duration: [\d.]+ ms  (?:statement|execute)", (hosts.at["stores"].folder / "log").read_bytes()
        )
    )


@contextmanager
def sampled(hosts: Hosts) -> Iterator[list[Sequence[int]]]:
    """Collect, twenty times a second, how many sessions wait for a lock, wait for anything, and are busy."""
    found: list[Sequence[int]] = []
    ended = threading.Event()

    def look() -> None:
        with psycopg.connect(hosts.database_url, autocommit=True) as database:
            while not ended.wait(0.05):
                if row := database.execute(WAITS).fetchone():
                    found.append(row)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield found
    finally:
        ended.set()
        thread.join()


def report(hosts: Hosts, work: Work, rounds: int, harm: Harm) -> Iterator[str]:
    """Lines about the import, each scoring, their ratio, and what is there after failures of everything."""
    hosts.work("work1")
    began = time.perf_counter()
    stock = Stock(hosts, work)
    yield f"import by one host{stock.rows / (time.perf_counter() - began):>24,.0f} rows/s, attempt {stock.attempts}"
    ratios, means = [], {}
    for _ in range(rounds):
        alone = stock.score(1)
        hosts.work("work2")
        time.sleep(8)  # until its processes are there
        together = stock.score(2)
        hosts.at["work2"].stop()
        yield from (*alone.lines(), *together.lines())
        ratios.append(alone.seconds / together.seconds)
        means = alone.means
    yield f"two hosts, times one{'':>22}{', '.join(f'{ratio:.2f}' for ratio in ratios)}"
    yield from (f"  mean of {kind}: {mean:.6f} of {n}" for kind, (mean, n) in means.items())
    hosts.work("work2")
    yield from compared(stock)
    yield from readers(stock)
    for in_flight in IN_FLIGHT:
        hosts.call(in_flight)
        time.sleep(STARTING)
        yield from answers(stock, in_flight)
    hosts.call(IN_FLIGHT[0])
    yield from failures(stock, means, harm)


def compared(stock: Stock) -> Iterator[str]:
    """The other variants scored by two hosts, and compared with the first: the first time, and once it is known."""
    hosts, evaluators = stock.hosts, list(stock.evaluators())
    runs = [stock.run, *stock.others]
    for run in runs:
        hosts.site.score(run, evaluators)
    for when in ("the first time", "again") if stock.others else ():
        before, began = hosts.at["web"].processor_seconds(), time.perf_counter()
        hosts.site.get(f"comparisons/?runs={','.join(map(str, runs))}")
        seconds, used = time.perf_counter() - began, hosts.at["web"].processor_seconds() - before
        yield f"comparison of {len(runs)} runs {when}: {seconds:.1f} s, {used:.1f} s of processor of web"


def readers(stock: Stock) -> Iterator[str]:
    """Pages that readers open beside one another, idle and while two hosts score, and what each costs."""
    hosts = stock.hosts
    shown = page_speed.Stock(stock.rows, stock.dataset, stock.experiment, stock.run, [])
    served = web_speed.of_site("hosts", hosts.site.link, shown)
    web_speed.pages_a_second(served, web_speed.SECONDS)  # fills the caches
    for clients in READERS:
        yield from _read(hosts, served, clients, "readers")
    for clients in READERS:
        evaluators = list(stock.evaluators())
        hosts.site.post(f"runs/{stock.run}/scorings/", {"evaluators": evaluators})
        yield from _read(hosts, served, clients, "readers while a run is scored")
        hosts.site.wait(f"runs/{stock.run}/", lambda now: now["status"] not in ("queued", "running"))


def _read(hosts: Hosts, served: web_speed.Served, clients: int, what: str) -> Iterator[str]:
    before = hosts.at["web"].processor_seconds(), hosts.database_seconds()
    waits = web_speed.waits(served, READING, clients)
    used = hosts.at["web"].processor_seconds() - before[0], hosts.database_seconds() - before[1]
    pages = len(waits)
    late = 1000 * waits[int(0.95 * pages)]
    yield f"{clients} {what}: {pages / READING:.1f} pages/s, 95 % within {late:.0f} ms"
    yield f"  processor, web {1000 * used[0] / pages:.1f} and database {1000 * used[1] / pages:.1f} ms a page"


def answers(stock: Stock, in_flight: int) -> Iterator[str]:
    """A launch without harm: calls a second, and what each costs the caller and PostgreSQL."""
    hosts, calls = stock.hosts, CALLS * in_flight
    before = hosts.at["calls"].processor_seconds(), hosts.database_seconds()
    with psycopg.connect(hosts.database_url, autocommit=True) as database:
        transactions, began = one(database, TRANSACTIONS), time.perf_counter()
        launch = start_launch(hosts, calls)
        hosts.site.wait(
            f"runs/{launch}/", lambda now: now["status"] not in ("generating", "queued", "running")
        )
        seconds = time.perf_counter() - began
        time.sleep(1.5)  # until PostgreSQL has counted
        transactions = one(database, TRANSACTIONS) - transactions
    used = hosts.at["calls"].processor_seconds() - before[0], hosts.database_seconds() - before[1]
    yield f"{calls} answers, {in_flight} in flight{calls / seconds:>16,.1f} calls/s"
    yield f"  processor, caller {1000 * used[0] / calls:.1f} and database {1000 * used[1] / calls:.1f} ms a call"
    yield f"  {transactions / calls:.1f} transactions a call, with those of pages, polls and sweeps"


def failures(stock: Stock, means: Mapping[str, tuple[float, int]], harm: Harm) -> Iterator[str]:
    """Cut hosts off, crash the database, lose Redis and kill a worker with its watchdog while a run is scored and a
    launch is answered.
    """
    hosts, site = stock.hosts, stock.hosts.site
    before, launch = hosts.model_calls(), start_launch(hosts, harm.calls)
    evaluators = stock.evaluators()
    site.post(f"runs/{stock.run}/scorings/", {"evaluators": list(evaluators)})
    time.sleep(2)
    hosts.at["work2"].cut_off()
    hosts.at["calls"].cut_off()
    for harm_next in (hosts.restart_database, hosts.lose_redis, partial(hosts.kill_worker, "work1")):
        time.sleep(BETWEEN)
        harm_next()
    began = time.perf_counter()
    time.sleep(harm.cut)
    for name in ("work2", "calls"):
        hosts.at[name].connect()
    waited = patiently(site, f"runs/{stock.run}/", ("queued", "running"))
    answered = patiently(site, f"runs/{launch}/", ("generating", "queued", "running"))
    yield f"after two hosts were cut off for {harm.cut:.0f} s, and PostgreSQL, Redis and a worker were killed:"
    yield f"  scored run {waited['status']}, launch {answered['status']}, {time.perf_counter() - began:.0f} s later"
    same = stock.means(evaluators) == dict(means)
    yield f"  means and counts of {len(evaluators)} evaluators {'as before' if same else 'DIFFER'}"
    taken = hosts.model_calls() - before
    yield f"  {answered['output_count']} of {harm.calls} answers, {taken} calls taken by the model server"


def patiently(site: Any, path: str, unfinished: Sequence[str]) -> dict[str, Any]:
    """What the address answers once it is finished; a refused or late answer is asked for again."""
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline:
        try:
            found: dict[str, Any] = site.get(path)
        except OSError:
            found = {"status": unfinished[0]}
        if found["status"] not in unfinished:
            return found
        time.sleep(1)
    raise SystemExit(f"{path} was not finished after ten minutes.")


def start_launch(hosts: Hosts, calls: int) -> int:
    """Start a launch of so many calls; returns its run."""
    site = hosts.site
    base_url = f"http://{hosts.at['model'].address}:{MODEL_PORT}/v1"
    server = site.post(
        "connections/", {"name": unique("model"), "base_url": base_url, "api_key": "sk-stand-in-0000"}
    )
    messages = [{"role": "user", "content": "{{ question }}"}]
    body = {"name": unique("hosts"), "messages": messages, "model": "stand-in", "connection": server["id"]}
    prompt = site.post("prompts/", body)["id"]
    stamp = unique("launch")  # so that no answer is known from another launch
    rows = [
        {"inputs": {"question": f"{stamp}: what is {n}?"}, "reference": {"answer": str(n)}}
        for n in range(calls)
    ]
    dataset = site.post("datasets/", {"name": unique("hosts"), "examples": rows})["id"]
    launch = {"name": unique("hosts"), "dataset": dataset, "evaluators": [], "variants": [{"prompt": prompt}]}
    run: int = site.post("launches/", launch)["runs"][0]
    return run
