"""`manage.py begin`: creates the first administrator and a project with sample data."""

from typing import Any

from django.contrib.auth.models import User
from django.core.management import BaseCommand
from django.db import transaction

from evaluations.access import projects
from evaluations.judges import sample
from evaluations.management import CHECKS
from evaluations.models import Project


class Command(BaseCommand):
    help = (
        "At the first start, create the administrator `admin`, who signs in by link, "
        "and the project Default with sample data."
    )
    requires_system_checks = CHECKS

    @transaction.atomic
    def handle(self, **options: Any) -> None:
        if Project.objects.exists():
            return
        admin = User.objects.filter(is_superuser=True).order_by("pk").first()
        admin = admin or User.objects.create_superuser("admin")
        sample.load(projects.create("Default", admin), admin)
