"""Run in a checkout of an earlier commit: makes its database, with the scored sample and a row in every table."""

import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import django
from django.conf import settings


class LRUCache(dict):
    """What earlier commits took from `cachetools`, which is no longer installed; nothing here fills it."""

    def __init__(self, maxsize: float, getsizeof: object = None) -> None:
        super().__init__()
        self.maxsize = maxsize

    def __class_getitem__(cls, item: object) -> type:
        return cls


def main() -> None:
    if find_spec("cachetools") is None:
        sys.modules["cachetools"] = ModuleType("cachetools")
        sys.modules["cachetools"].LRUCache = LRUCache
    settings.INSTALLED_APPS = [app for app in settings.INSTALLED_APPS if find_spec(app.split(".")[0])]
    django.setup()
    make_site()
    fill_tables()


def make_site() -> None:
    from django.core.management import call_command  # noqa: PLC0415 — only after django.setup()

    call_command("migrate", verbosity=0)
    call_command("begin")
    scoring = import_module("evaluations.scoring")
    if not hasattr(scoring, "work"):  # it was a file before it was a folder
        scoring = import_module("evaluations.scoring.scoring")
    while scoring.work(seconds=5):
        pass


def fill_tables() -> None:
    from django.apps import apps  # noqa: PLC0415 — only after django.setup()
    from model_bakery import baker  # noqa: PLC0415 — only after django.setup()

    baker.generators.add("evaluations.models.fields.JSONTextField", dict)
    for model in apps.get_app_config("evaluations").get_models():
        if not model._default_manager.exists():
            baker.make(model, **{field.name: row for field, row in needed_rows(model)})


def needed_rows(model: Any) -> Iterator[tuple[Any, Any]]:
    """Rows that are there already for what a row of this model must point to."""
    for field in model._meta.concrete_fields:
        row = field.many_to_one and not field.null and field.related_model._default_manager.first()
        if row:
            yield field, row


if __name__ == "__main__":
    main()
