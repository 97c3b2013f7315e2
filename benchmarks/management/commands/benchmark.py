"""`manage.py benchmark N`: the whole job on this machine, over HTTP, beside a bare script
that does the same.

`manage.py benchmark pages`: every page and export of a large dataset beside those of a small one.
`manage.py benchmark growth --rows 10000000`: upload, scores, comparison and pages of so many examples beside those
of a tenth: time and memory.
`manage.py benchmark evaluators`: each text kind by itself, beside a bare call of its library.
`manage.py benchmark kinds`: the seconds of every kind for a million pairs.
`manage.py benchmark generation`: a launch against a stand-in model server, beside a bare asyncio loop.
`manage.py benchmark generation --limit 50 --callers 2`: how much of a server's limit these processes use.
`manage.py benchmark scores --rows 1000000`: scores sent in batches beside the outputs of the same run.
`manage.py benchmark web`: pages a second of two web processes beside those of one.
`manage.py benchmark stops`: simulated launches that stop early: false stops, power, and calls saved.
"""

import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.db import connection

from benchmarks import (
    disk,
    early_stops,
    every_kind,
    floor,
    generation_speed,
    growth,
    kind_speed,
    page_speed,
    score_speed,
    web_speed,
)
from benchmarks.examples import write_examples
from benchmarks.site import Site, roomy, running_site, unique

KINDS = (
    "exact_match",
    "levenshtein_similarity",
    "levenshtein_distance",
    "similarity_match",
    "content_similarity",
)
ONE_MORE = {"kind": "exact_match", "config": {"case_sensitive": False}}
EVALUATORS, PAGES, GENERATION, STOPS, WEB = "evaluators", "pages", "generation", "stops", "web"
CATALOGUE, SCORES, GROWTH = "kinds", "scores", "growth"
MODES = (EVALUATORS, CATALOGUE, PAGES, GENERATION, SCORES, STOPS, WEB, GROWTH)


class Command(BaseCommand):
    help = (
        "Generate N examples with outputs, then import, score by five text evaluators and average them in a "
        "site of its own: web, two workers and Redis as `evalsite up` starts them, on the configured database."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "examples",
            type=lambda text: text if text in MODES else int(text),
            nargs="?",
            default=100_000,
            help=f"how many examples (100000), “{EVALUATORS}” for text kinds by themselves, “{CATALOGUE}” for "
            f"seconds of every kind for a million, “{PAGES}”, "
            f"“{GENERATION}”, “{SCORES}”, “{STOPS}”, “{WEB}”, “{GROWTH}” for a job beside one of a tenth of its rows",
        )
        parser.add_argument(
            "--rows",
            type=int,
            default=1_000_000,
            help="examples of the large dataset of the pages, of the scores, or of the growth (1000000)",
        )
        parser.add_argument("--at-once", type=int, default=5_000, help="rows in a batch of scores (5000)")
        parser.add_argument("--repeats", type=int, default=30, help="requests for each page (30)")
        parser.add_argument(
            "--rounds", type=int, default=10, help="measurements of each number of web processes (10)"
        )
        parser.add_argument("--short", type=int, default=2_000, help="short pairs of each kind (2000)")
        parser.add_argument(
            "--long", type=int, default=400, help="at most so many pairs of 10 000 characters (400)"
        )
        parser.add_argument("--calls", type=int, default=4_000, help="answers to be generated (4000)")
        parser.add_argument("--latency", type=float, default=0.2, help="seconds that an answer takes (0.2)")
        parser.add_argument(
            "--limit", type=int, default=0, help="calls a second that the server accepts (all)"
        )
        parser.add_argument("--callers", type=int, default=2, help="processes that share this limit (2)")
        parser.add_argument("--workers", type=int, default=2, help="worker processes (2)")
        parser.add_argument("--launches", type=int, default=1_000, help="simulated launches (1000)")
        parser.add_argument("--size", type=int, default=1_319, help="examples of a simulated launch (1319)")
        parser.add_argument("--seed", type=int, default=1)

    def handle(self, *, examples: int | str, seed: int, **options: Any) -> None:
        if examples == EVALUATORS:
            for line in kind_speed.report(kind_speed.measure(options["short"], options["long"], seed)):
                self.stdout.write(line)
        elif examples == CATALOGUE:
            for line in every_kind.report(every_kind.measure(options["short"], seed)):
                self.stdout.write(line)
        elif examples == STOPS:
            self.measure_stops(options["size"], options["launches"], seed)
        else:
            self.say("database", connection.vendor)
            folder = Path(tempfile.mkdtemp(prefix="evalsite-benchmark-"))
            try:
                self.measure_sites(folder, examples, seed, options)
            finally:
                shutil.rmtree(folder, ignore_errors=True)

    def measure_sites(self, folder: Path, examples: int | str, seed: int, options: dict[str, Any]) -> None:
        if examples == PAGES:
            with running_site(folder / "data", options["workers"], roomy(options["rows"])) as site:
                self.measure_pages(site, folder, options["rows"], seed, options["repeats"])
        elif examples == GROWTH:
            with running_site(folder / "data", options["workers"], roomy(options["rows"])) as site:
                evaluators = self.text_evaluators(site)
                for line in growth.report(
                    site, folder, options["rows"], seed, evaluators, options["repeats"]
                ):
                    self.stdout.write(line)
        elif examples == SCORES:
            with running_site(folder / "data", options["workers"]) as site:
                self.measure_scores(site, folder, options["rows"], options["at_once"], seed)
        elif examples == WEB:
            self.measure_web(folder, seed, options["rounds"])
        elif examples == GENERATION and options["limit"]:
            self.measure_limit(
                folder, options["calls"], options["latency"], options["limit"], options["callers"]
            )
        elif examples == GENERATION:
            self.measure_generation(folder, options["calls"], options["latency"])
        else:
            self.measure_job(folder, int(examples), options["workers"], seed)

    def measure_stops(self, size: int, launches: int, seed: int) -> None:
        for stops in early_stops.report(size, launches, seed):
            outcomes = (
                f"{stops.better:.1%} better, {stops.worse:.1%} worse, {stops.equivalent:.1%} equivalent"
            )
            self.say(stops.name, f"{outcomes}, {stops.saved:.0%} of the calls saved")

    def measure_job(self, folder: Path, examples: int, workers: int, seed: int) -> None:
        file = folder / "examples.csv"
        write_examples(file, examples, seed)
        self.say("examples", f"{examples:,} in {file.stat().st_size / 1e6:.1f} MB")
        stages = floor.seconds(file, folder)
        with running_site(folder / "data", workers, roomy(examples)) as site:
            self.measure(site, file, examples, stages)

    def measure_generation(self, folder: Path, calls: int, latency: float) -> None:
        """Measure a launch answered by one worker process, with the maximum number of calls in flight."""
        in_flight = settings.EVALSITE_IN_FLIGHT
        local = {"EVALSITE_PROVIDER_ALLOWED_HOSTS": "127.0.0.1"}
        with (
            generation_speed.stand_in(latency) as base_url,
            running_site(folder / "data", 1, local) as site,
        ):
            speed = generation_speed.measure(site, base_url, calls, in_flight)
            self.say("calls", f"{calls:,} of {latency:g} s, {in_flight} in flight")
            self.say("answers", f"{speed.site:,.0f}/s")
            self.say("a bare loop", f"{speed.bare:,.0f}/s")
            self.say("times the bare loop", f"{speed.site / speed.bare:.2f}")
            self.say("95 % of pages, idle and meanwhile", f"{speed.idle:.0f} and {speed.meanwhile:.0f} ms")
            self.say_peaks(site)

    def measure_limit(self, folder: Path, calls: int, latency: float, limit: int, callers: int) -> None:
        """Measure a launch of some processes that share the limit of a server."""
        local = {"EVALSITE_PROVIDER_ALLOWED_HOSTS": "127.0.0.1", "EVALSITE_CALLERS": str(callers)}
        with (
            generation_speed.stand_in(latency, limit) as base_url,
            running_site(folder / "data", 1, local) as site,
        ):
            rate, refused = generation_speed.limited(site, base_url, calls)
            self.say("answers", f"{rate:.1f}/s of {limit}/s ({rate / limit:.0%}), {callers} processes")
            self.say("refused", f"{refused:.1%} of the calls")

    def measure_web(self, folder: Path, seed: int, rounds: int) -> None:
        """Measure one and two web processes alternately, each with a site of its own and equal data."""
        with (
            running_site(folder / "one", 1, {"EVALSITE_WEB_PROCESSES": "1"}) as one,
            running_site(folder / "two", 1, {"EVALSITE_WEB_PROCESSES": "2"}) as two,
        ):
            served = []
            for name, site in (("one web process", one), ("two web processes", two)):
                evaluator = site.post("evaluators/", {"name": unique("exact"), "kind": "exact_match"})["id"]
                write_examples(folder / f"{name}.csv", page_speed.SMALL, seed)
                stock = site.stock(folder / f"{name}.csv", page_speed.SMALL, [evaluator])
                served.append(web_speed.of_site(name, site.link, stock))
            for line in web_speed.report(served, rounds):
                self.stdout.write(line)

    def measure_scores(self, site: Site, folder: Path, rows: int, at_once: int, seed: int) -> None:
        speed = score_speed.measure(site, folder, rows, at_once, seed)
        self.say("rows", f"{rows:,}, {at_once:,} at once")
        self.say("outputs of the run", f"{speed.outputs:,.0f}/s")
        for name, rate in (("scores to the draft", speed.draft), ("to the completed run", speed.completed)):
            self.say(name, f"{rate:,.0f}/s, {rate / speed.outputs:.2f} of the outputs")
        self.say_peaks(site)

    def say_peaks(self, site: Site) -> None:
        for name, megabytes in site.peaks().items():
            self.say(f"peak memory of {name}", f"{megabytes:.0f} MB")

    def text_evaluators(self, site: Site) -> list[int]:
        return [site.post("evaluators/", {"name": unique(kind), "kind": kind})["id"] for kind in KINDS]

    def measure(self, site: Site, file: Path, examples: int, stages: dict[str, float]) -> None:
        evaluators = self.text_evaluators(site)
        before = disk.of_scores(site.data_folder)
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
            f"{(disk.of_scores(site.data_folder) - before) / (examples * (len(KINDS) + 1)):.1f} bytes",
        )
        for scoring in scored_run["scorings"]:
            name = scoring["evaluator"]["kind"]
            self.say(f"mean of {name}", f"{scoring['mean']:.4f} of {scoring['n']:,}")
        self.say_peaks(site)

    def measure_pages(self, site: Site, folder: Path, rows: int, seed: int, repeats: int) -> None:
        evaluators = self.text_evaluators(site)
        stocks = []
        for size in (page_speed.SMALL, rows):
            write_examples(folder / "examples.csv", size, seed)
            began, before = time.perf_counter(), site.processor_seconds()
            stocks.append(site.stock(folder / "examples.csv", size, evaluators))
            took, used = time.perf_counter() - began, site.processor_seconds() - before
            self.say(f"two variants of {size:,}, scored", f"{took:,.1f} s, {used:,.1f} s of processors")
        self.say_peaks(site)
        small, large = stocks
        for line in page_speed.pages(page_speed.Browser(site.link), small, large, repeats):
            self.stdout.write(line)
        for line in page_speed.exports(site.root, site.key, large):
            self.stdout.write(line)
        self.say_peaks(site)

    def report(
        self, examples: int, importing: float, scoring: float, one_more: float, stages: dict[str, float]
    ) -> None:
        stored = stages["parse"] + stages["insert"]
        scored = stages["read"] + stages["score"]
        self.say("", f"{'Evalsite':>22}{'floor':>22}{'times the floor':>18}")
        self.compare("import", examples, importing, stored)
        self.compare(f"scoring by {len(KINDS)}", examples, scoring, scored)
        self.compare("whole job", examples, importing + scoring, stored + scored)
        self.say("one more evaluator", f"{one_more:8.2f} s {examples / one_more:9,.0f}/s")
        parts = ", ".join(f"{stage} {1 / seconds:,.0f}/s" for stage, seconds in stages.items())
        self.say("the floor: one bare script", parts)

    def compare(self, label: str, examples: int, measured_seconds: float, floor_each: float) -> None:
        bare = examples * floor_each
        rates = (f"{seconds:8.2f} s {examples / seconds:9,.0f}/s" for seconds in (measured_seconds, bare))
        self.say(label, f"{'  '.join(rates)}{measured_seconds / bare:>16.2f}")

    def say(self, label: str, value: str) -> None:
        self.stdout.write(f"{label:<36}{value}")
