"""`manage.py verify_run`: rescores a run in batches, and lists the scores that differ from the stored ones."""

from typing import Any

import orjson
from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluations.management import CHECKS
from evaluations.models import Run
from evaluations.results.shown import scorings_of
from evaluations.scoring import drift


class Command(BaseCommand):
    help = (
        "Compute the scores of a run again from its stored texts, and compare them with the stored ones. Evaluators "
        "that call a server are skipped. Exits 1 if a score differs."
    )
    requires_system_checks = CHECKS

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int, help="the number of the run")
        parser.add_argument("--json", action="store_true", help="print the report as JSON")

    def handle(self, *, run: int, json: bool, **options: Any) -> None:
        stored_run = Run.objects.select_related("experiment__dataset").filter(pk=run).first()
        if stored_run is None:
            raise CommandError(f"Run {run} does not exist.")
        report = drift.as_dict(drift.verify(stored_run, scorings_of(stored_run)))
        self.stdout.write(orjson.dumps(report).decode() if json else "\n".join(_lines(report)))
        if report["drifted"]:
            raise CommandError(f"{report['drifted']} of the scores differ.")


def _lines(report: dict[str, Any]) -> list[str]:
    lines = [f"{'evaluator':<40}{'version':>8}{'examples':>10}{'differ':>8}{'largest':>10}"]
    for row in report["evaluators"]:
        figures = f"{row['version']:>8}{row['examples']:>10}{row['drifted']:>8}{row['largest']:>10.1e}"
        lines.append(f"{row['name'][:39]:<40}{figures}")
    lines += [
        f"{skipped['name'][:39]:<40}{skipped['version']:>8}   skipped: it calls a server"
        for skipped in report["skipped"]
    ]
    lines += [
        f"  {row['name']} at {row['position']}: stored {row['stored']}, computed {row['computed']}"
        for row in report["drift"]
    ]
    return lines
