"""The Django app, which registers the system checks, and the lanes of the queue."""

from importlib import import_module

from django.apps import AppConfig
from django.conf import settings
from django.db.backends.signals import connection_created

from . import long_arrays
from .process_cache import MEGABYTE, budget
from .upkeep import checks

WITH_LANES = ("scoring", "launches", "playground", "judges")


class EvaluationsConfig(AppConfig):
    name = "evaluations"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Evalsite"

    def ready(self) -> None:
        budget.limit = settings.EVALSITE_CACHE_MB * MEGABYTE
        long_arrays.Place.folder = settings.FILE_UPLOAD_TEMP_DIR
        checks.install()
        functions = import_module("evaluations.models.fields").add_functions
        connection_created.connect(functions, dispatch_uid="evalsite functions")
        for room in WITH_LANES:
            import_module(f"evaluations.{room}.lanes").register()  # only now can models be imported
