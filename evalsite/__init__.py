"""The site: settings, the web server, and `evalsite up`, which starts all processes."""

__version__ = "0.1.0"  # Before the import: the settings, which Celery reads, show it.

from evalsite.celery import app as celery_app

__all__ = ["__version__", "celery_app"]
