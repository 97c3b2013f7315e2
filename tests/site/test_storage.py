"""Uploads in S3, tested against moto, an independent stand-in.

It is not among our dependencies, so it lives in a folder of its own (half a minute, 150 MB):

    .venv/bin/python -m pip install --target /tmp/s3 "moto[server]" "django-storages[s3]"
    PYTHONPATH=/tmp/s3 .venv/bin/pytest -m live_server tests/site/test_storage.py
"""

import io
import os
import sys
import threading
import time
import urllib.request
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec

import pytest
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.utils import timezone

from evalsite.stores import storage
from evaluations.access import limits
from evaluations.errors import StorageUnavailable, TooManyRequests
from evaluations.imports import imports
from evaluations.imports.uploads import uploads
from evaluations.models import Dataset, Import
from tests import factories, processes

pytestmark = [
    pytest.mark.live_server,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        not (find_spec("moto") and find_spec("storages")), reason="moto and django-storages are not installed"
    ),
]
S3_NAMES = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'
CONTENT = factories.jsonl(*({"question": f"q{n}", "answer": str(n)} for n in range(1_000))).encode()


@pytest.fixture
def port() -> int:
    return processes.unused_port()


@pytest.fixture
def server(tmp_path, port):
    command = [sys.executable, "-m", "moto.server", "--port", str(port)]
    server = processes.Process(command, tmp_path / "moto.log", PYTHONPATH=os.pathsep.join(sys.path))
    yield server
    server.end()


class BreaksOff(BaseHTTPRequestHandler):
    """An S3 server that has every file but never sends it completely."""

    def do_HEAD(self):
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()

    def do_GET(self):
        self.do_HEAD()
        self.wfile.write(b"a")


class PutsTogether(BaseHTTPRequestHandler):
    """An S3 server that takes the parts of a file, and twenty seconds to put them together."""

    completed = 0

    def do_HEAD(self):
        self.send_response(404)
        self.end_headers()

    def do_PUT(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer("", ETag='"part"')

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if "uploadId" not in self.path:
            return self.answer(f"<r {S3_NAMES}><UploadId>one</UploadId></r>")
        PutsTogether.completed += 1
        time.sleep(20)
        return self.answer(f"<r {S3_NAMES}><ETag>whole</ETag></r>")

    def answer(self, body, **headers):
        self.send_response(200)
        for name, value in (headers | {"Content-Length": str(len(body))}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body.encode())


@pytest.fixture
def breaks_off():
    yield from serving(BreaksOff)


@pytest.fixture
def puts_together():
    yield from serving(PutsTogether)


def serving(handler):
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()


def use_s3(port, settings, monkeypatch) -> str:
    """Let uploads wait in a server at this port, as EVALSITE_STORAGE=s3://bucket/evalsite asks for it."""
    address = f"http://127.0.0.1:{port}"
    credentials = {"ENDPOINT_URL_S3": address, "ACCESS_KEY_ID": "key", "SECRET_ACCESS_KEY": "secret"}
    for name, value in (credentials | {"DEFAULT_REGION": "us-east-1"}).items():
        monkeypatch.setenv(f"AWS_{name}", value)
    settings.STORAGES = settings.STORAGES | {"default": storage("s3://bucket/evalsite")}
    return address


@pytest.fixture
def bucket(server, port, settings, monkeypatch):
    """An empty bucket for uploads, as EVALSITE_STORAGE=s3 configures it."""
    address = use_s3(port, settings, monkeypatch)
    server.wait_for("Running on")
    urllib.request.urlopen(urllib.request.Request(f"{address}/bucket", method="PUT"), timeout=30)


def begin_import(project) -> Dataset:
    upload = uploads.park(project, None, File(io.BytesIO(CONTENT), name="rows.jsonl"))
    assert default_storage.exists(upload.stored_as)
    return imports.begin(upload, "from a bucket", None)


def test_a_file_waits_in_the_bucket_and_leaves_it_when_it_is_read(bucket, project):
    dataset = begin_import(project)

    imports.run_import(Import.objects.get().pk)

    dataset.refresh_from_db()
    assert (dataset.status, dataset.example_count) == ("ready", 1_000)
    assert default_storage.listdir("")[1] == []


def test_files_that_nobody_names_leave_the_bucket_after_an_hour(bucket, project, monkeypatch):
    begin_import(project)
    Import.objects.all().delete()
    uploads.forget_orphans()
    assert len(default_storage.listdir("")[1]) == 1

    later = timezone.now() + timedelta(hours=2)
    monkeypatch.setattr(uploads.leases, "now", lambda: later)
    uploads.forget_orphans()
    assert default_storage.listdir("")[1] == []


def test_a_storage_that_does_not_answer_is_named_and_asked_again_later(bucket, server, project):
    begin_import(project)

    server.end()

    with pytest.raises(StorageUnavailable):
        begin_import(project)
    with pytest.raises(StorageUnavailable):
        imports.run_import(Import.objects.get().pk)
    assert Import.objects.get().attempt == 0  # not the fault of the file


def test_a_storage_that_breaks_off_every_download_is_named(breaks_off, settings, monkeypatch, caplog):
    use_s3(breaks_off, settings, monkeypatch)

    with pytest.raises(StorageUnavailable):
        default_storage.open("rows.jsonl")

    assert "The storage of uploads returned an error: " in caplog.text  # and the cause, for the operator


@pytest.mark.slow
def test_a_large_file_is_put_together_once_by_a_server_that_takes_long(puts_together, settings, monkeypatch):
    use_s3(puts_together, settings, monkeypatch)

    default_storage.save("rows.jsonl", File(io.BytesIO(b"a" * 9_000_000)))

    assert PutsTogether.completed == 1


def test_downloads_that_hang_hold_few_threads(breaks_off, settings, monkeypatch):
    use_s3(breaks_off, settings, monkeypatch)
    monkeypatch.setattr(limits, "DOWNLOADS", threading.BoundedSemaphore(1))

    with limits.DOWNLOADS, pytest.raises(TooManyRequests):
        default_storage.open("rows.jsonl")


def test_a_backup_holds_the_files_of_the_bucket(bucket, project, tmp_path):
    dataset = begin_import(project)
    waiting = Import.objects.get()
    call_command("backup", tmp_path / "site.tar")
    default_storage.delete(waiting.stored_as)

    call_command("restore", tmp_path / "site.tar", "--replace")

    imports.run_import(Import.objects.get().pk)
    assert Dataset.objects.get(pk=dataset.pk).example_count == 1_000
