"""Alice's project with objects in every state, made once for a module: each test changes it in a savepoint of its own.

Tests that commit, such as those with a live server, have no place here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client, override_settings

from evaluations.access import projects
from evaluations.models import Project
from tests.authorization.world import NOWHERE, PASSWORD, things_of


@dataclass(frozen=True)
class Stage:
    alice: int
    project: int
    ids: dict[str, Any]


@pytest.fixture(scope="module")
def stage(django_db_setup, django_db_blocker) -> Iterator[Stage]:
    allowed = override_settings(PROVIDER_ALLOWED_HOSTS=[NOWHERE.split("/")[2]])
    with django_db_blocker.unblock(), transaction.atomic():
        alice = User.objects.create_user("alice", "alice@example.com", PASSWORD)
        project = projects.create("Default", alice)
        with allowed:
            ids = things_of(project, alice)
        yield Stage(alice.pk, project.pk, ids)
        transaction.set_rollback(True)


@pytest.fixture
def alice(stage: Stage, db: None) -> User:
    return User.objects.get(pk=stage.alice)


@pytest.fixture
def project(stage: Stage, db: None) -> Project:
    return Project.objects.get(pk=stage.project)


@pytest.fixture
def ids(stage: Stage, db: None, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The ids of Alice's objects, in every state that calls need."""
    monkeypatch.setattr(settings, "PROVIDER_ALLOWED_HOSTS", [NOWHERE.split("/")[2]])
    return dict(stage.ids)


@pytest.fixture
def alices(alice: User) -> Client:
    client = Client()
    client.force_login(alice)
    return client
