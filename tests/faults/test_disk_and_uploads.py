"""F19 and F20: a full disk, and uploads that are cut off or never end; no file and no row may remain (I9)."""

import random
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from . import undertaking
from .conftest import Stage, vendor
from .site import Site
from .test_faults import assert_ready

pytestmark = [pytest.mark.processes, pytest.mark.faults]


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[None]:
    """A small disk in memory. Only root can mount one."""
    folder.mkdir(exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=755", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a small disk can be mounted only by root")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(folder: Path) -> Path:
    """Fill the disk completely."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while file.write(b"\0" * 4096):
                pass
        except OSError:
            return ballast


def files_of(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_a_file_larger_than_the_free_disk_is_refused(stage, request):
    """F19: 507 with the free and the needed bytes, before and after the last byte that fits."""
    uploads = Path(stage.site.env["EVALSITE_STORAGE"])
    datasets = stage.client.get("datasets/")["results"]
    content = b"question,answer\n" + b"why,because\n" * 300_000  # 3.6 MB
    for size in (5, 2):
        with small_disk(uploads, size):
            (uploads / "incoming").mkdir()
            form = {"files": {"file": ("rows.csv", content)}, "data": {"name": request.node.name}}
            answer = stage.client.once("POST", "datasets/", **form)

            error = answer.json()["error"]
            assert (answer.status_code, error["code"]) == (507, "storage_full")
            assert "MB" in error["message"]
            assert files_of(uploads) == set()
    assert stage.client.get("datasets/")["results"] == datasets


def test_a_run_goes_on_when_the_database_has_room_again(request, tmp_path):
    """F19: the disk of the database is full for a while. A full disk of the data folder would end the import."""
    folder = Path(tempfile.mkdtemp(prefix="evalsite-small-"))
    with small_disk(folder, 400 if vendor() == "postgresql" else 100):
        site = Site(vendor(), folder)
        site.env |= {"EVALSITE_DATA": str(tmp_path / "data"), "EVALSITE_STORAGE": str(tmp_path / "uploads")}
        try:
            client = site.begin()
            evaluators = undertaking.make_evaluators(client)
            with ThreadPoolExecutor(1) as program:
                undertaken = program.submit(undertaking.undertake, client, "small", evaluators)
                time.sleep(random.Random(request.node.name).uniform(0, 3))
                ballast = fill(folder)
                time.sleep(5)
                ballast.unlink()
                if site.postgresql:
                    site.postgresql.start()  # it may have ended by itself; a supervisor would restart it
                undertaking.assert_whole(client, undertaken.result())
            assert_ready(Stage(site, client, evaluators, 0))
        finally:
            site.end()
    shutil.rmtree(folder)


def raw_upload(stage: Stage, content: bytes) -> tuple[socket.socket, bytes]:
    """A connection and a complete request that uploads a dataset, not yet sent."""
    body = (
        b'--cut\r\nContent-Disposition: form-data; name="name"\r\n\r\ncut\r\n'
        b'--cut\r\nContent-Disposition: form-data; name="file"; filename="rows.csv"\r\n\r\n'
        + content
        + b"\r\n--cut--\r\n"
    )
    head = (
        "POST /api/v1/datasets/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=cut\r\n"
        f"Authorization: {stage.client.http.headers['Authorization']}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return socket.create_connection(("127.0.0.1", stage.site.port), timeout=90), head.encode() + body


@pytest.mark.parametrize("part", [0.1, 0.5, 0.99])
def test_an_upload_that_is_cut_off_leaves_nothing(stage, part):
    """F20, I9: no dataset, and no file within ten seconds."""
    uploads = Path(stage.site.env["EVALSITE_STORAGE"])
    before, datasets = files_of(uploads), stage.client.get("datasets/")["results"]
    connection, request = raw_upload(stage, b"question,answer\n" + b"why,because\n" * 1_000_000)
    with connection:
        connection.sendall(request[: int(len(request) * part)])

    deadline = time.monotonic() + 10
    while files_of(uploads) - before:
        assert time.monotonic() < deadline, files_of(uploads) - before
        time.sleep(0.1)
    assert stage.client.get("datasets/")["results"] == datasets
    assert_ready(stage)


@pytest.mark.parametrize("size", [100, 2_000], ids=["headers", "body"])
def test_clients_that_send_a_byte_a_second_keep_nobody_out(stage, size):
    """F20: with a dozen slow clients, pages still respond, and the clients are disconnected."""
    slow = [raw_upload(stage, b"q\n" + b"x\n" * 1_000_000) for _ in range(12)]
    try:
        for connection, request in slow:
            connection.sendall(request[:size])
        began, durations = time.monotonic(), []
        open_ones = [connection for connection, _ in slow]
        while open_ones and time.monotonic() - began < 90:
            open_ones = [connection for connection in open_ones if still_takes(connection)]
            asked_at = time.monotonic()
            assert (
                httpx2.get(f"{stage.client.address}/healthz", trust_env=False, timeout=60).status_code == 200
            )
            durations.append(time.monotonic() - asked_at)
            time.sleep(1)
    finally:
        for connection, _ in slow:
            connection.close()

    assert max(durations) < 5
    assert not open_ones
    assert time.monotonic() - began < 70


def still_takes(connection: socket.socket) -> bool:
    try:
        connection.sendall(b"x")
    except OSError:
        return False
    return True


def test_the_same_file_uploaded_twice_at_once_is_two_datasets(stage, request):
    """F20: each has its own name; they share only their bytes."""

    def upload(name: str) -> dict:
        return stage.client.upload("datasets/", undertaking.EXAMPLES, name=name, mapping=undertaking.COLUMNS)

    with ThreadPoolExecutor(2) as programs:
        datasets = list(programs.map(upload, ("twice, one", "twice, two")))

    assert datasets[0]["id"] != datasets[1]["id"]
    for dataset in datasets:
        path = f"datasets/{dataset['id']}/"
        imported_dataset = stage.client.wait_for(path, lambda dataset: dataset["status"] != "importing", 60)
        assert (imported_dataset["status"], imported_dataset["example_count"]) == ("ready", undertaking.SIZE)
