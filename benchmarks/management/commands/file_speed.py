"""`manage.py file_speed`: our CSV reader and writer and JSON reader, beside csv, pyarrow, ijson and json."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from benchmarks import file_speed


class Command(BaseCommand):
    help = "Measure how fast files are read and written, beside the libraries that do the same."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--rows", type=int, default=100_000, help="rows of the files (default: 100000)")

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write("thousands of rows a second")
        for line in file_speed.measure(options["rows"]):
            self.stdout.write(line)
