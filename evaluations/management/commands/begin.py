from django.contrib.auth.models import User
from django.core.management import BaseCommand
from django.db import transaction

from evaluations import projects
from evaluations.models import Project


class Command(BaseCommand):
    help = (
        "At the first start: make the administrator `admin`, who signs in by link, and the project Default."
    )

    @transaction.atomic
    def handle(self, **options) -> None:
        if Project.objects.exists():
            return
        admin = User.objects.filter(is_superuser=True).order_by("pk").first()
        projects.create("Default", admin or User.objects.create_superuser("admin"))
