"""A full disk is named as the cause of errors: on pages, by the API and in monitoring."""

import errno
import tempfile
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest
import requests
from django.db import OperationalError, connection
from django.test import Client

from evalsite import channel
from evalsite.server import Server, listening_socket
from evaluations import disk_space, full_disk
from evaluations.access import api_keys
from evaluations.errors import StorageFull
from evaluations.imports.uploads import uploads
from evaluations.models import Embedding
from evaluations.web.site import server_errors
from tests.site import test_server

# SQLite rolls back the whole transaction when the disk is full.
pytestmark = pytest.mark.django_db(transaction=True)
DISK_FULL = "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '53100'; END $$"


@pytest.fixture
def full_database() -> Iterator[None]:
    """A database that raises its own full-disk error for every added row."""

    def no_room(execute, sql, params, is_many, context):
        if sql.startswith("INSERT") and connection.vendor == "postgresql":
            return execute(DISK_FULL, None, False, context)
        return execute(sql, params, is_many, context)

    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM")  # otherwise pages that earlier tests left empty could be used
            [pages] = cursor.execute("PRAGMA page_count").fetchone()
            [maximum] = cursor.execute("PRAGMA max_page_count").fetchone()
            cursor.execute(f"PRAGMA max_page_count={pages}")
    with connection.execute_wrapper(no_room):
        yield
    if connection.vendor == "sqlite":
        connection.cursor().execute(f"PRAGMA max_page_count={maximum}")


def big() -> list[dict]:
    """More data than fits into the free pages of an empty database."""
    return [{"inputs": {"text": "x" * 20_000}} for _ in range(50)]


def test_the_api_says_that_the_disk_is_full(project, request):
    headers = {"Authorization": f"Bearer {api_keys.create_key(project, None, 'k', 'write')[1]}"}
    request.getfixturevalue("full_database")

    answer = Client().post(
        "/api/v1/datasets/", {"name": "big", "examples": big()}, "application/json", headers=headers
    )

    assert answer.status_code == 507
    assert answer.json()["error"]["code"] == "storage_full"


def test_a_page_says_that_the_disk_is_full(rf, full_database):
    try:
        Embedding.objects.create(digest=b"0" * 32, vector=bytes(10_000_000))
    except OperationalError:
        page = server_errors.server_error(rf.get("/"))

    assert page.status_code == 507
    assert b"disk is full" in page.content


def test_only_the_full_disk_error_of_the_operating_system_counts():
    assert full_disk.is_cause_of(OSError(errno.ENOSPC, "No space left on device"))
    assert not full_disk.is_cause_of(OSError(errno.ENOENT, "No such file"))
    assert not full_disk.is_cause_of(OperationalError("connection lost"))


def test_readyz_says_no_when_a_disk_is_nearly_full(client, monkeypatch):
    monkeypatch.setattr(uploads, "lowest_free_space", lambda: 1_000_000)

    answer = client.get("/readyz")

    assert (answer.status_code, answer.json()) == (503, {"status": "disk full"})


@pytest.mark.parametrize(("free", "times"), [(1_000_000, 1), (10**9, 0)])
def test_pages_warn_when_a_disk_is_nearly_full(admin_client, monkeypatch, free, times):
    monkeypatch.setattr(uploads, "lowest_free_space", lambda: free)

    page = admin_client.get("/account/")

    assert page.content.count(b"disk is nearly full") == times


def test_the_fuller_disk_counts_that_of_the_data_folder_or_that_of_uploads(settings, monkeypatch):
    settings.DATA, settings.MEDIA_ROOT = "data", "uploads"
    sizes = {"data": 1, "uploads": 2}
    monkeypatch.setattr(disk_space, "reusable_bytes", lambda: 0)
    monkeypatch.setattr(
        uploads.shutil, "disk_usage", lambda folder: SimpleNamespace(free=sizes[folder] * uploads.RESERVE / 2)
    )

    with pytest.raises(StorageFull):
        uploads.require_space()


@pytest.mark.parametrize(("reusable", "is_full"), [(uploads.RESERVE, False), (0, True)])
def test_pages_that_the_database_can_reuse_count_as_room_for_rows(monkeypatch, reusable, is_full):
    monkeypatch.setattr(uploads, "lowest_free_space", lambda: uploads.LOG_ROOM)
    monkeypatch.setattr(disk_space, "reusable_bytes", lambda: reusable)

    assert uploads.disk_is_nearly_full() is is_full


def test_pages_that_the_database_can_reuse_hold_no_file_and_no_log(monkeypatch):
    monkeypatch.setattr(disk_space, "reusable_bytes", lambda: 10**9)
    monkeypatch.setattr(uploads, "lowest_free_space", lambda: uploads.LOG_ROOM - 1)

    with pytest.raises(StorageFull):
        uploads.check_space(uploads.LOG_ROOM)
    assert uploads.disk_is_nearly_full()


def refuse_updates(problem: OperationalError) -> Callable:
    def execute_unless_update(execute, sql, params, is_many, context):
        if sql.startswith("UPDATE"):
            raise problem
        return execute(sql, params, is_many, context)

    return execute_unless_update


@pytest.mark.parametrize(
    ("cause", "status"), [(OSError(errno.ENOSPC, "No space left on device"), 200), (OSError("gone"), 503)]
)
def test_a_full_disk_closes_no_page_for_want_of_remembering_its_project(
    client, project, admin_user, cause, status
):
    problem = OperationalError()
    problem.__cause__ = cause
    client.force_login(admin_user)
    client.raise_request_exception = False
    with connection.execute_wrapper(refuse_updates(problem)):
        page = client.get(f"/p/{project.slug}/datasets/")

    assert page.status_code == status


# ---- the web server ----

BODY, ANSWER = 900_000, 5_000_000


def answer(environ, start_response):
    environ["wsgi.input"].read()
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(ANSWER))])
    return [bytes(ANSWER)]


def test_bodies_and_answers_need_no_disk_that_is_full(monkeypatch):
    def no_room(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", no_room)
    monkeypatch.setattr(channel.shutil, "disk_usage", lambda folder: SimpleNamespace(free=channel.RESERVE))
    server = Server(answer, listening_socket("127.0.0.1", 0))

    with test_server.running(server):
        url = f"http://127.0.0.1:{server.effective_port}/"
        sizes = [len(requests.post(url, bytes(size), timeout=60).content) for size in (BODY, channel.LARGE)]

    assert sizes == [ANSWER, ANSWER]
