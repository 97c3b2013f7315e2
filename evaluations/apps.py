"""The Django app, which registers the system checks."""

from django.apps import AppConfig
from django.conf import settings

from .process_cache import MEGABYTE, budget
from .upkeep import checks


class EvaluationsConfig(AppConfig):
    name = "evaluations"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Evalsite"

    def ready(self) -> None:
        budget.limit = settings.EVALSITE_CACHE_MB * MEGABYTE
        checks.install()
