"""`manage.py hosts_speed`: one and two hosts with a worker, and failures, on six machines of network namespaces."""

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from benchmarks.examples import write_examples
from benchmarks.hosts import running_hosts
from benchmarks.hosts_speed import TEXT_KINDS, Harm, Work, report


class Command(BaseCommand):
    help = (
        "Run a site on several machines (stores, web, calls, two with a worker) that are network namespaces, as root. "
        "Say what one and two hosts with a worker reach and cost, then cut hosts off, kill PostgreSQL, Redis and "
        "a worker, and count what is there. With moto and django-storages on the path, uploads wait in S3."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--rows", type=int, default=1_000_000, help="generated examples (1000000)")
        parser.add_argument("--file", type=Path, help="examples with one output, instead of generated ones")
        parser.add_argument("--mapping", type=json.loads, help="the mapping of this file, as JSON")
        parser.add_argument(
            "--kinds", nargs="+", default=TEXT_KINDS, help="kinds of evaluators (five of texts)"
        )
        parser.add_argument("--rounds", type=int, default=3, help="scorings by one and by two hosts (3)")
        parser.add_argument("--calls", type=int, default=2_000, help="answers of the launch (2000)")
        parser.add_argument("--cut", type=float, default=90, help="seconds that two hosts are cut off (90)")
        parser.add_argument("--seed", type=int, default=1)

    def handle(self, *, rounds: int, calls: int, cut: float, **options: Any) -> None:
        folder = Path(tempfile.mkdtemp(prefix="evalsite-hosts-"))
        file = options["file"] or folder / "examples.csv"
        work = Work(file, options["mapping"], options["kinds"])
        try:
            if not options["file"]:
                write_examples(file, options["rows"], options["seed"])
            with running_hosts(folder) as hosts:
                for line in report(hosts, work, rounds, Harm(calls, cut)):
                    self.stdout.write(line)
                    self.stdout.flush()
        finally:
            shutil.rmtree(folder, ignore_errors=True)
