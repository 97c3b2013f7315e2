"""`manage.py benchmark N`: the whole job on this machine, over HTTP, beside a bare script
that does the same.

`manage.py benchmark pages`: every page and export of a large dataset beside those of a small one.
`manage.py benchmark evaluators`: each kind by itself, beside a bare call of its library.
"""

import csv
import json
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.db import connection

from benchmarks import disk, floor, kind_speed, page_speed

KINDS = (
    "exact_match",
    "levenshtein_similarity",
    "levenshtein_distance",
    "similarity_match",
    "content_similarity",
)
ONE_MORE = {"kind": "exact_match", "config": {"case_sensitive": False}}
EVALUATORS, PAGES = "evaluators", "pages"
MODEL = {"model": "answer"}
BOUNDARY = "evalsite-benchmark"
PIECE = 1024 * 1024  # bytes of a file that are sent at a time
POLL = 0.2  # seconds at least: who asks too often takes the processor from the work


class Command(BaseCommand):
    help = (
        "Generate N examples with outputs, then import, score by five text evaluators and average them in a "
        "site of its own: web, two workers and Redis as `evalsite up` starts them, on the configured database."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "examples",
            type=lambda text: text if text in (EVALUATORS, PAGES) else int(text),
            nargs="?",
            default=100_000,
            help=f"how many examples (100000), “{EVALUATORS}” to measure every kind by itself, or “{PAGES}”",
        )
        parser.add_argument(
            "--rows", type=int, default=1_000_000, help="examples of the large dataset of the pages (1000000)"
        )
        parser.add_argument("--repeats", type=int, default=30, help="requests for each page (30)")
        parser.add_argument("--short", type=int, default=2_000, help="short pairs of each kind (2000)")
        parser.add_argument(
            "--long", type=int, default=400, help="at most so many pairs of 10 000 characters (400)"
        )
        parser.add_argument("--workers", type=int, default=2, help="worker processes (2)")
        parser.add_argument("--seed", type=int, default=1)

    def handle(self, *, examples: int | str, workers: int, seed: int, **options: Any) -> None:
        if examples == EVALUATORS:
            for line in kind_speed.report(kind_speed.measure(options["short"], options["long"], seed)):
                self.stdout.write(line)
            return
        folder = Path(tempfile.mkdtemp(prefix="evalsite-benchmark-"))
        try:
            if isinstance(examples, str):  # PAGES
                self.say("database", connection.vendor)
                with running_site(folder / "data", workers) as site:
                    self.measure_pages(site, folder, options["rows"], seed, options["repeats"])
                return
            file = folder / "examples.csv"
            write_examples(file, examples, seed)
            self.say("database", connection.vendor)
            self.say("examples", f"{examples:,} in {file.stat().st_size / 1e6:.1f} MB")
            stages = floor.seconds(file, folder)
            with running_site(folder / "data", workers) as site:
                self.measure(site, file, examples, stages)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def measure(self, site: "Site", file: Path, examples: int, stages: dict[str, float]) -> None:
        evaluators = [site.post("evaluators/", {"name": unique(kind), "kind": kind})["id"] for kind in KINDS]
        before = disk.of_scores(site.data)
        started = time.perf_counter()
        dataset = site.upload(file)
        dataset = site.wait(f"datasets/{dataset['id']}/", lambda now: now["status"] != "importing")
        imported = time.perf_counter()
        if dataset["status"] != "ready":
            raise SystemExit(f"The import failed: {dataset['errors']}")
        run = site.get(f"experiments/{dataset['experiment']}/")["runs"][0]["id"]
        scored_run = site.score(run, evaluators)
        scored = time.perf_counter()
        more = site.post("evaluators/", ONE_MORE | {"name": unique("one more")})["id"]
        began = time.perf_counter()
        site.score(run, [more])
        self.report(examples, imported - started, scored - imported, time.perf_counter() - began, stages)
        self.say(
            "disk per score",
            f"{(disk.of_scores(site.data) - before) / (examples * (len(KINDS) + 1)):.1f} bytes",
        )
        for scoring in scored_run["scorings"]:
            name = scoring["evaluator"]["kind"]
            self.say(f"mean of {name}", f"{scoring['mean']:.4f} of {scoring['n']:,}")
        for name, megabytes in site.peaks().items():
            self.say(f"peak memory of {name}", f"{megabytes:.0f} MB")

    def measure_pages(self, site: "Site", folder: Path, rows: int, seed: int, repeats: int) -> None:
        evaluators = [site.post("evaluators/", {"name": unique(kind), "kind": kind})["id"] for kind in KINDS]
        small, large = (
            site.stock(folder / f"{size}.csv", size, seed, evaluators) for size in (page_speed.SMALL, rows)
        )
        for line in page_speed.pages(page_speed.Browser(site.link), small, large, repeats):
            self.stdout.write(line)
        for line in page_speed.exports(site.root, site.key, large):
            self.stdout.write(line)
        for name, megabytes in site.peaks().items():
            self.say(f"peak memory of {name}", f"{megabytes:.0f} MB")

    def report(
        self, examples: int, importing: float, scoring: float, one_more: float, stages: dict[str, float]
    ) -> None:
        stored = stages["parse"] + stages["insert"]
        scored = stages["read"] + stages["score"]
        self.say("", f"{'Evalsite':>22}{'floor':>22}{'times the floor':>18}")
        self.beside("import", examples, importing, stored)
        self.beside(f"scoring by {len(KINDS)}", examples, scoring, scored)
        self.beside("whole job", examples, importing + scoring, stored + scored)
        self.say("one more evaluator", f"{one_more:8.2f} s {examples / one_more:9,.0f}/s")
        parts = ", ".join(f"{stage} {1 / each:,.0f}/s" for stage, each in stages.items())
        self.say("the floor: one bare script", parts)

    def beside(self, what: str, examples: int, ours: float, floor_each: float) -> None:
        bare = examples * floor_each
        rates = (f"{seconds:8.2f} s {examples / seconds:9,.0f}/s" for seconds in (ours, bare))
        self.say(what, f"{'  '.join(rates)}{ours / bare:>16.2f}")

    def say(self, what: str, value: str) -> None:
        self.stdout.write(f"{what:<36}{value}")


# ---- data --------------------------------------------------------------------------------------------------


def write_examples(file: Path, count: int, seed: int) -> None:
    """A CSV of questions, references of 20 to 400 characters (one in fifty of 2 000 to 8 000) and outputs like them."""
    chance = random.Random(seed)
    words = ["".join(chance.choices("etaoinshrdlucmfw", k=chance.randint(2, 9))) for _ in range(4_000)]
    with file.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["id", "question", "reference", "answer"])
        for number in range(count):
            length = chance.randint(2_000, 8_000) if number % 50 == 7 else chance.randint(20, 400)
            reference = sentence(chance, words, length)
            question = f"Question {number}: {' '.join(chance.choices(words, k=8))}?"
            writer.writerow([f"e{number}", question, reference, edited(chance, words, reference)])


def sentence(chance: random.Random, words: list[str], length: int) -> str:
    return " ".join(chance.choices(words, k=length // 6 + 1))[:length].strip()


def edited(chance: random.Random, words: list[str], reference: str) -> str:
    """What a model might make of it: the same in one case of five, else every tenth word another."""
    if chance.random() < 0.2:
        return reference
    return " ".join(chance.choice(words) if chance.random() < 0.1 else word for word in reference.split(" "))


def unique(name: str) -> str:
    return f"{name} {time.time_ns()}"


# ---- a site of its own -------------------------------------------------------------------------------------


class Site:
    """A running site, spoken to as any program would."""

    def __init__(self, port: int, key: str, process: subprocess.Popen[bytes], link: str, data: Path):
        self.root, self.key, self.process, self.link = f"http://127.0.0.1:{port}", key, process, link
        self.data = data
        self.address = f"{self.root}/api/v1/"

    def call(self, method: str, path: str, body: bytes | Iterable[bytes] = (), **headers: str) -> Any:
        given = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"} | headers
        request = urllib.request.Request(self.address + path, body or None, given, method=method)
        with urllib.request.urlopen(request, timeout=600) as answer:
            return json.load(answer)

    def get(self, path: str) -> Any:
        return self.call("GET", path)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        return self.call("POST", path, json.dumps(body).encode())

    def stock(self, file: Path, size: int, seed: int, evaluators: list[int]) -> page_speed.Stock:
        """Two scored variants of so many examples; the second answers with the question."""
        write_examples(file, size, seed)
        dataset = self.upload(file, {"model": "answer", "echo": "question"})
        dataset = self.wait(f"datasets/{dataset['id']}/", lambda now: now["status"] != "importing")
        runs = self.get(f"experiments/{dataset['experiment']}/")["runs"]
        for run in runs:
            self.score(run["id"], evaluators)
        return page_speed.Stock(size, dataset["id"], dataset["experiment"], runs[0]["id"], evaluators)

    def upload(self, file: Path, outputs: Mapping[str, str] = MODEL) -> Any:
        mapping = {"inputs": ["question"], "reference": ["reference"], "key": "id", "outputs": outputs}
        fields = {"name": unique("benchmark"), "mapping": json.dumps(mapping)}
        parts = [
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{k}"\r\n\r\n{v}\r\n'
            for k, v in fields.items()
        ]
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{file.name}"\r\n\r\n'
        before, after = "".join([*parts, head]).encode(), f"\r\n--{BOUNDARY}--\r\n".encode()
        headers = {
            "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
            "Content-Length": str(len(before) + file.stat().st_size + len(after)),
        }
        with file.open("rb") as content:
            pieces = iter(partial(content.read, PIECE), b"")
            return self.call("POST", "datasets/", chain([before], pieces, [after]), **headers)

    def score(self, run: int, evaluators: list[int]) -> dict[str, Any]:
        """The run when it is scored by these as well."""
        self.post(f"runs/{run}/scorings/", {"evaluators": evaluators})
        return self.wait(f"runs/{run}/", lambda now: now["status"] not in ("queued", "running"))

    def wait(self, path: str, ended: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The last answer of `path`, polled after a quarter of the time that it estimates."""
        began = time.perf_counter()
        while not ended(now := self.get(path)):
            left = now.get("progress", {}).get("seconds_left")
            time.sleep(max(POLL, left / 4 if left else (time.perf_counter() - began) / 50))
        return now

    def peaks(self) -> dict[str, float]:
        """The largest memory in MB that a process of each kind ever held."""
        peaks: dict[str, float] = {}
        for pid in descendants(self.process.pid):
            command = Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
            name = next((name for name in ("evalsite.server", "celery", "redis") if name in command), None)
            peak = next(
                line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if "VmHWM" in line
            )
            if name:
                peaks[name] = max(peaks.get(name, 0), int(peak.split()[1]) / 1024)
        return peaks


def descendants(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            yield int(child)
            yield from descendants(int(child))


@contextmanager
def running_site(data: Path, workers: int) -> Iterator[Site]:
    """`evalsite up` in a data folder of its own; DATABASE_URL is as it is here."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    env = os.environ | {"EVALSITE_DATA": str(data), "PORT": str(port), "EVALSITE_WORKERS": str(workers)}
    command = [sys.executable, "-m", "evalsite"]
    data.mkdir()
    log, root = data / "up.log", settings.PACKAGE.parent
    with log.open("w") as output:
        process = subprocess.Popen(
            [*command, "up"], env=env, stdout=output, stderr=subprocess.STDOUT, cwd=root
        )
    try:
        wait_for_ready(process, log)
        make_key = [*command, "apikey", "create", "--project", "default", "--scope", "write"]
        key = subprocess.run(make_key, env=env, check=True, capture_output=True, text=True, cwd=root)
        [link] = re.findall(r"/signin/link/\S+", log.read_text())
        yield Site(port, key.stdout.strip(), process, f"http://127.0.0.1:{port}{link}", data)
    finally:
        process.terminate()
        process.wait(timeout=60)


def wait_for_ready(process: subprocess.Popen[bytes], log: Path) -> None:
    while "/signin/" not in log.read_text():
        if process.poll() is not None:
            raise SystemExit(f"The site did not start:\n{log.read_text()}")
        time.sleep(0.1)
