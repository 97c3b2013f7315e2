"""Fixtures for all tests: users, stand-in servers, real processes and a browser."""

import gc
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from celery import current_app
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test import RequestFactory
from django.test.client import MULTIPART_CONTENT
from django.utils.http import urlencode

from evaluations import hints
from evaluations.access import projects
from evaluations.evaluators import pacing
from evaluations.models import Membership, Project, Role
from evaluations.process_cache import budget
from tests import processes
from tests.clients.chat import echo
from tests.clients.stub import Reply, Stub

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"

# Chance has a seed here, and a busy machine is not a failure.
hypothesis.settings.register_profile("repeatable", deadline=None, derandomize=True)
hypothesis.settings.load_profile("repeatable")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if connection.vendor == "postgresql":
        once = [item for item in items if not uses_database(item)]
        items[:] = [item for item in items if uses_database(item)]
        config.hook.pytest_deselected(items=once)
    for item in items:
        if "browser" in getattr(
            item, "fixturenames", ()
        ):  # the fixture of pytest-playwright, also behind others
            item.add_marker("browser")
    if not Path(CHROMIUM).exists():
        skip = pytest.mark.skip(reason=f"no Chromium at {CHROMIUM}; install it or name one in CHROMIUM")
        for item in items:
            if item.get_closest_marker("browser"):
                item.add_marker(skip)


def pytest_collection_finish() -> None:
    """Thousands of collected tests stay until the end; to look for garbage among them takes a tenth of the time."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


def uses_database(item: pytest.Item) -> bool:
    """Whether the test has a database; the others need not be repeated on PostgreSQL."""
    fixtures = {"db", "transactional_db", "live_server"} & {*getattr(item, "fixturenames", ())}
    return bool(fixtures or item.get_closest_marker("django_db"))


def post_like_a_browser(
    factory: RequestFactory,
    path: str,
    data: Any = None,
    content_type: str = MULTIPART_CONTENT,
    **options: Any,
) -> Any:
    """A page's form without files is sent as a browser does; strangers can send no other."""
    parts = data.values() if isinstance(data, dict) else ()
    has_files = any(
        hasattr(one, "read") for part in parts for one in (part if isinstance(part, list) else [part])
    )
    if content_type is MULTIPART_CONTENT and not has_files and not path.startswith("/api/"):
        data, content_type = urlencode(data or {}, doseq=True), "application/x-www-form-urlencoded"
    return _post(factory, path, data, content_type, **options)


_post: Any = RequestFactory.post
RequestFactory.post = post_like_a_browser


# ---- the cast: Alice owns, Bob is in her team, Charlie is a stranger ----


@pytest.fixture
def alice(db) -> User:
    return User.objects.create_user("alice", "alice@example.com", "alice's long password")


@pytest.fixture
def project(alice) -> Project:
    return projects.create("Default", alice)


@pytest.fixture
def bob(project) -> User:
    bob = User.objects.create_user("bob", "bob@example.com", "bob's long password")
    Membership.objects.create(project=project, user=bob, role=Role.EDITOR)
    return bob


@pytest.fixture
def charlie(db) -> User:
    """Charlie has a project of his own, and no access to Alice's."""
    charlie = User.objects.create_user("charlie", "charlie@example.com", "charlie's long password")
    projects.create("Elsewhere", charlie)
    return charlie


@pytest.fixture(scope="module")
def kept(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """A transaction around a module, for what its tests share; each changes the rows in a savepoint of its own.

    Tests take copies of the objects (`deepcopy`), because a savepoint rolls back no attribute. Those that commit, such
    as those with a live server, have no place in such a module.
    """
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture(autouse=True)
def _empty_process_caches() -> None:
    """Clear process caches: their keys are ids, which repeat between tests."""
    budget.clear()
    pacing._paces.by_connection.clear()


# ---- stand-in model servers ----


@pytest.fixture
def usual_answer() -> Callable[..., Reply]:
    """The default answer of `serve()`; the tests of a room may override it."""
    return echo


@pytest.fixture
def serve(usual_answer) -> Iterator[Callable[..., Stub]]:
    """Starts a server that answers in this way."""
    with ExitStack() as stack:

        def start(answer: Callable[..., Reply] = usual_answer) -> Stub:
            stub = Stub(answer)
            stack.callback(stub.close)
            return stub

        yield start


@pytest.fixture
def stub(serve) -> Stub:
    """A server that echoes each request."""
    return serve(echo)


# ---- real processes ----


@pytest.fixture
def unused_port() -> int:
    return processes.unused_port()


@pytest.fixture(scope="session")
def running_redis(tmp_path_factory) -> processes.Redis:
    running = processes.Redis(tmp_path_factory.mktemp("redis"))
    yield running
    running.end()


@pytest.fixture
def redis(running_redis) -> processes.Redis:
    """A real Redis without the messages of earlier tests: a worker of this one would take them for its own."""
    running_redis.private.client().flushall()
    return running_redis


@pytest.fixture
def broker(redis, settings, monkeypatch) -> str:
    """The address of a real Redis, to which this process sends its hints too."""
    settings.CELERY_BROKER_URL = redis.url
    monkeypatch.setattr(current_app.conf, "broker_url", redis.url)
    monkeypatch.setattr(hints.Outage, "ends_at", 0.0)
    return redis.url


@pytest.fixture
def worker(transactional_db, broker, tmp_path) -> processes.Process:
    """A real Celery worker on the test database; it ends before the tables are emptied."""
    running = processes.worker(tmp_path / "worker.log", broker)
    yield running
    running.end()


# ---- a real browser ----


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict) -> dict:
    flags = [
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-gpu",
        "--disable-quic",
        "--disable-sync",
        "--no-first-run",
    ]
    if os.geteuid() == 0:  # Chromium's sandbox refuses to run as root.
        flags.append("--no-sandbox")
    return browser_type_launch_args | {"executable_path": CHROMIUM, "args": flags}
