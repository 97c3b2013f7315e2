"""`manage.py backup`: writes the whole site into one file."""

from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError, CommandParser

from evaluations.errors import Refusal
from evaluations.management import CHECKS
from evaluations.upkeep import backups


class Command(BaseCommand):
    help = "Write the whole site into one file while it runs. Store the secret key separately."
    requires_system_checks = CHECKS

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, file: Path, **options: Any) -> None:
        if file.exists():
            raise CommandError(f"{file} already exists.")
        try:
            backups.write(file.absolute())
        except (Refusal, OSError) as problem:
            raise CommandError(str(problem)) from problem
        self.stdout.write(f"{file} contains the database and the files waiting for import.")
