"""`manage.py comparison_speed prepare --examples 1000000`, then `comparison_speed measure` in a process of its own."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from benchmarks import comparison_speed
from evaluations.models import Experiment


class Command(BaseCommand):
    help = "Measure a comparison of many runs by many evaluators, on the database of the settings."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("step", choices=["prepare", "measure"])
        parser.add_argument("--runs", type=int, default=20)
        parser.add_argument("--evaluators", type=int, default=20)
        parser.add_argument("--examples", type=int, default=100_000)

    def handle(self, *args: Any, **options: Any) -> None:
        if options["step"] == "prepare":
            prepared = comparison_speed.prepare(options["runs"], options["evaluators"], options["examples"])
            self.stdout.write(f"experiment {prepared.pk}")
            return
        experiment = Experiment.objects.order_by("-pk").select_related("dataset").first()
        if experiment is None:
            self.stderr.write("Prepare first.")
            return
        for name, figure in comparison_speed.measure(experiment).items():
            self.stdout.write(f"{name}: {figure:.2f}")
