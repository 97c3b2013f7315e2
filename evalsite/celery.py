import logging.config
import os

from celery import Celery, signals
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")

app = Celery("evalsite")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.set_default()  # For threads: `current_app` is otherwise known only to the one that made it.
app.autodiscover_tasks()


@signals.setup_logging.connect
def use_the_logging_of_django(**_: object) -> None:
    """A receiver here keeps Celery from configuring the root logger in its own format."""
    logging.config.dictConfig(settings.LOGGING)
