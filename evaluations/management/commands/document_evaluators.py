"""`manage.py document_evaluators`: writes docs/evaluators.md from the evaluator kinds."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from evaluations.proof import catalogue_page


class Command(BaseCommand):
    help = "Write the page that documents every evaluator kind."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, nargs="?", default=Path("docs/evaluators.md"))

    def handle(self, *, file: Path, **options: Any) -> None:
        file.write_text(catalogue_page.page(), encoding="utf-8")
        self.stdout.write(f"Wrote {file}.")
