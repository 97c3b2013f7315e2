"""`evalsite up`: starts web, workers, beat and a private Redis together."""

import asyncio
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, call_command
from django.db import connection

from evalsite import staticfiles
from evalsite.up import Up, alone, require_free_port, told
from evaluations.engine import consumption
from evaluations.management import CHECKS
from evaluations.management.commands.signin_link import administrator, link_for
from evaluations.models import Project


class Command(BaseCommand):
    requires_system_checks = CHECKS
    help = "Start everything in this terminal: web, workers, beat and a private Redis. Ctrl-C stops it."

    def handle(self, **options: Any) -> None:
        with alone(settings.DATA):
            require_free_port(settings.HOST, settings.PORT)
            call_command("migrate", interactive=False, verbosity=0)
            self.check(tags=["broker"], include_deployment_checks=True)
            connection.close()
            with told(settings.ADDRESS_FILE, settings.ORIGIN):
                code = asyncio.run(Up(prepare, workers_that_report_from_now_on(), announce).run())
        if code:
            sys.exit(code)


def prepare() -> None:
    staticfiles.collect()
    try:
        if not Project.objects.exists():
            call_command("begin")
    finally:
        connection.close()


def workers_that_report_from_now_on() -> Callable[[], bool]:
    """Whether every queue has a worker, each of which says so once, perhaps minutes before the last of them does."""
    began = time.monotonic()

    def are_ready() -> bool:
        try:
            return consumption.are_present(within=timedelta(seconds=time.monotonic() - began))
        finally:
            connection.close()

    return are_ready


def announce() -> str:
    """The line with the address of the site and a sign-in link."""
    try:
        return f"Ready: {settings.URL}  One-time sign-in link, valid for an hour: {link_for(administrator())}"
    finally:
        connection.close()
