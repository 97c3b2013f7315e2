"""`manage.py compact`: gives the space of deleted data back to the disk."""

from typing import Any

from django.core.management import BaseCommand, CommandError
from django.db import DatabaseError, connection

from evaluations import disk_space
from evaluations.management import CHECKS


class Command(BaseCommand):
    help = (
        "Give the space of deleted data back to the disk (SQLite). Everything that writes waits meanwhile; the disk "
        "needs room for a copy of what remains."
    )
    requires_system_checks = CHECKS

    def handle(self, **options: Any) -> None:
        if connection.vendor != "sqlite":
            raise CommandError(
                "PostgreSQL reuses the space of deleted rows by itself. To give it back to the disk, stop the site "
                "and run VACUUM FULL in the database."
            )
        try:
            freed = disk_space.compact()
        except DatabaseError as problem:
            raise CommandError(f"{problem}. Stop the site or free some space, then try again.") from problem
        self.stdout.write(f"{freed // 1_000_000} MB were given back to the disk.")
