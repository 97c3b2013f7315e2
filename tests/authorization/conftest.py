"""Two worlds, hidden from each other, whose ids are recognisable wherever they appear."""

import logging
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection, transaction
from django.test import override_settings
from django.utils import timezone

from evaluations.access import audit, projects, sessions
from evaluations.experiments import runs
from evaluations.models import Dataset, Membership, Pulse, Role, Run, Scope
from evaluations.web.site import health

from .world import NOWHERE, Principal, everybody, program, things_of, user

NEAR = 1_000_000  # Ids of Alice's project begin here, because PostgreSQL's sequences continue over tests.
FAR = 880_000_000  # Ids of the other project begin here, so that one is recognised wherever it appears.


class World:
    """Alice's project, in which Bob is an editor, and Charlie's, which is hidden from all members of hers."""

    def __init__(self) -> None:
        count_from(NEAR)
        self.alice, self.bob, self.charlie = (user(name) for name in ("alice", "bob", "zebracharlie"))
        self.project = projects.create("Quagga plans", self.alice)
        Membership.objects.create(project=self.project, user=self.bob, role=Role.EDITOR)
        self.of_alice = things_of(self.project, self.alice, "quagga")
        self.of_bob = things_of(self.project, self.bob, "quaggabob")
        self.everybody: list[Principal] = everybody(self.project, self.alice, self.bob, self.charlie)
        count_from(FAR)
        elsewhere = projects.create("Zebra plans", self.charlie)
        self.foreign = things_of(elsewhere, self.charlie, "zebra")
        self.everybody.append(
            program("key of another project", "outside", elsewhere, self.charlie, Scope.ADMIN)
        )
        going_on(self.foreign)
        count_from(FAR + 100_000_000)
        going_on(self.of_alice)
        going_on(self.of_bob)


def going_on(objects: dict[str, Any]) -> None:
    """A run that is being scored, and an entry in the audit log."""
    runs.begin(Run.objects.get(pk=objects["open_run"]))
    runs.cancel(runs.begin(Run.objects.get(pk=objects["cancelled_run"])))
    dataset = Dataset.objects.get(pk=objects["dataset"])
    audit.record(dataset.created_by, "dataset-create", dataset)


def count_from(first: int) -> None:
    """Make the next rows of all our tables get ids from here on."""
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            if table.startswith(("evaluations_", "auth_user")):
                _count_from(cursor, table, first)


def _count_from(cursor: Any, table: str, first: int) -> None:
    if connection.vendor == "sqlite":
        cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [table])
        cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table, first])
        return
    for sequence in connection.introspection.get_sequences(cursor, table):
        cursor.execute("SELECT setval(%s, %s)", [sequence["name"], first])


@pytest.fixture(autouse=True)
def _no_warnings() -> Iterator[None]:
    """Silence the log: thousands of refusals would fill it."""
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture(scope="module")
def made(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    """The world, made once for a module: a call is rolled back, or changes nothing."""
    allowed = override_settings(PROVIDER_ALLOWED_HOSTS=[NOWHERE.split("/")[2]])
    with django_db_blocker.unblock(), transaction.atomic():
        for name in ("sweep", "work"):
            Pulse.objects.update_or_create(name=name, defaults={"at": timezone.now()})
        with allowed:
            world = World()
        yield world
        transaction.set_rollback(True)


@pytest.fixture
def world(made: World, db: None, settings: Any, monkeypatch: pytest.MonkeyPatch) -> World:
    settings.PROVIDER_ALLOWED_HOSTS = [NOWHERE.split("/")[2]]
    # a slow machine needs minutes for all calls
    settings.SWEEP_EVERY = 86_400
    monkeypatch.setattr(health, "WORK_LEFT", timedelta(days=1))
    monkeypatch.setattr(sessions, "CONFIRMED_FOR", 86_400)
    cache.clear()
    return made
