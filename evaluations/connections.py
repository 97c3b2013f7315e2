"""Connections to OpenAI-compatible servers: checked addresses, and keys that go in and never come out."""

from decimal import Decimal
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from . import clients, datasets, secretbox
from .errors import Conflict, Invalid
from .models import Connection, Project

LONGEST_KEY = 1_000


def create(
    project: Project,
    user: User | None,
    name: str,
    base_url: str,
    api_key: str = "",
    price_per_million: Decimal | None = None,
) -> Connection:
    """A connection; the first of a project is its default."""
    check_url(base_url)
    with transaction.atomic():
        connection = Connection(
            project=project,
            created_by=user,
            name=name,
            base_url=base_url,
            price_per_million=price_per_million,
        )
        datasets.named(connection)
        set_key(connection, api_key)
        Project.objects.filter(pk=project.pk, default_connection=None).update(default_connection=connection)
    return connection
