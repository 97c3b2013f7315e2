"""`manage.py restore`: replaces the site by a backup."""

import tarfile
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError, CommandParser, call_command
from django.db import DatabaseError

from evaluations.errors import Refusal
from evaluations.management import CHECKS
from evaluations.models import Project
from evaluations.upkeep import backups


class Command(BaseCommand):
    help = "Replace this site with a backup. Stop web, workers and beat first, and start them afterwards."
    requires_system_checks = CHECKS

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--replace", action="store_true", help="replace the site even if it has projects")

    def handle(self, file: Path, replace: bool, **options: Any) -> None:
        if not replace and has_projects():
            raise CommandError(
                "This site has projects, which would be lost. Use --replace to restore anyway."
            )
        try:
            backups.restore(file)
        except (Refusal, OSError, tarfile.TarError) as problem:
            raise CommandError(str(problem)) from problem
        call_command("migrate", interactive=False, verbosity=0)
        self.stdout.write("Restored. Work in progress continues when a worker starts.")


def has_projects() -> bool:
    try:
        return Project.objects.exists()
    except DatabaseError:  # A database without tables counts as empty.
        return False
