"""A site of its own, started by `evalsite up`, and a client for it."""

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from django.conf import settings

from benchmarks import page_speed

MODEL = {"model": "answer"}
GENERATED = {"inputs": ["question"], "reference": ["reference"], "key": "id"}
BOUNDARY = "evalsite-benchmark"
TICKS = os.sysconf("SC_CLK_TCK")
PIECE = 1024 * 1024  # bytes of a file that are sent at a time
POLL = 0.2  # minimum seconds between polls: frequent polls would take processor time from the work


def unique(name: str) -> str:
    return f"{name} {time.time_ns()}"


class Site:
    """A running site, used through its API."""

    def __init__(
        self,
        port: int,
        key: str,
        process: subprocess.Popen[bytes],
        link: str,
        data_folder: Path,
        host: str = "127.0.0.1",
    ) -> None:
        self.root, self.key, self.process, self.link = f"http://{host}:{port}", key, process, link
        self.data_folder = data_folder
        self.address = f"{self.root}/api/v1/"

    def call(self, method: str, path: str, body: bytes | Iterable[bytes] = (), **headers: str) -> Any:
        all_headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"} | headers
        request = urllib.request.Request(self.address + path, body or None, all_headers, method=method)
        with urllib.request.urlopen(request, timeout=600) as answer:
            return json.load(answer)

    def get(self, path: str) -> Any:
        return self.call("GET", path)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        return self.call("POST", path, json.dumps(body).encode())

    def stock(self, file: Path, size: int, evaluators: list[int]) -> page_speed.Stock:
        """Create two scored variants of these examples; the second variant answers with the question."""
        dataset = self.upload(file, {"model": "answer", "echo": "question"})
        dataset = self.wait(f"datasets/{dataset['id']}/", lambda now: now["status"] != "importing")
        runs = self.get(f"experiments/{dataset['experiment']}/")["runs"]
        for run in runs:
            self.score(run["id"], evaluators)
        return page_speed.Stock(size, dataset["id"], dataset["experiment"], runs[0]["id"], evaluators)

    def upload(
        self, file: Path, outputs: Mapping[str, str] = MODEL, mapping: Mapping[str, Any] | None = None
    ) -> Any:
        """Upload a file of `write_examples`, or one with a mapping of its own."""
        mapping = mapping or GENERATED | {"outputs": outputs}
        fields = {"name": unique("benchmark"), "mapping": json.dumps(mapping)}
        parts = [
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{k}"\r\n\r\n{v}\r\n'
            for k, v in fields.items()
        ]
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{file.name}"\r\n\r\n'
        before, after = "".join([*parts, head]).encode(), f"\r\n--{BOUNDARY}--\r\n".encode()
        headers = {
            "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
            "Content-Length": str(len(before) + file.stat().st_size + len(after)),
        }
        with file.open("rb") as content:
            pieces = iter(partial(content.read, PIECE), b"")
            return self.call("POST", "datasets/", chain([before], pieces, [after]), **headers)

    def score(self, run: int, evaluators: list[int]) -> dict[str, Any]:
        """Score the run by more evaluators; returns the scored run."""
        self.post(f"runs/{run}/scorings/", {"evaluators": evaluators})
        return self.wait(f"runs/{run}/", lambda now: now["status"] not in ("queued", "running"))

    def wait(self, path: str, ended: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Poll `path` until it has ended, after a quarter of the time that it estimates; returns the last answer."""
        began = time.perf_counter()
        now: dict[str, Any]
        while not ended(now := self.get(path)):
            seconds_left = now.get("progress", {}).get("seconds_left")
            time.sleep(max(POLL, seconds_left / 4 if seconds_left else (time.perf_counter() - began) / 50))
        return now

    def processor_seconds(self) -> float:
        """What all its processes have used so far."""
        return sum(processor_seconds(pid) for pid in (self.process.pid, *descendants(self.process.pid)))

    def peaks(self) -> dict[str, float]:
        """The peak memory in MB of a process of each kind."""
        peaks: dict[str, float] = {}
        for pid in descendants(self.process.pid):
            command = Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
            name = next((name for name in ("evalsite.server", "celery", "redis") if name in command), None)
            peak = next(
                line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if "VmHWM" in line
            )
            if name:
                peaks[name] = max(peaks.get(name, 0), int(peak.split()[1]) / 1024)
        return peaks


def roomy(rows: int) -> dict[str, str]:
    """Limits of a site that takes a file of so many rows of `write_examples`, which have 0.6 kB each."""
    return {
        "EVALSITE_FILE_ROWS": str(max(rows, 5_000_000)),
        "EVALSITE_FILE_MB": str(max(rows // 1_000, 2_048)),
    }


def processor_seconds(pid: int) -> float:
    """Processor seconds of a process and of its children that have ended; 0 if it has ended itself."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return sum(map(int, fields[11:15])) / TICKS


def descendants(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            yield int(child)
            yield from descendants(int(child))


@contextmanager
def running_site(
    data_folder: Path, workers: int, variables: Mapping[str, str] | None = None
) -> Iterator[Site]:
    """Start `evalsite up` with a data folder of its own and these variables; DATABASE_URL is inherited."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    env = os.environ | {
        "EVALSITE_DATA": str(data_folder),
        "PORT": str(port),
        "EVALSITE_WORKERS": str(workers),
    }
    env |= variables or {}
    command = [sys.executable, "-m", "evalsite"]
    data_folder.mkdir()
    log, root = data_folder / "up.log", settings.PACKAGE.parent
    with log.open("w") as output:
        process = subprocess.Popen(
            [*command, "up"], env=env, stdout=output, stderr=subprocess.STDOUT, cwd=root
        )
    try:
        wait_for_ready(process, log)
        make_key = [*command, "apikey", "create", "--project", "default", "--scope", "write"]
        key = subprocess.run(make_key, env=env, check=True, capture_output=True, text=True, cwd=root)
        [link] = re.findall(r"/signin/link/\S+", log.read_text())
        yield Site(port, key.stdout.strip(), process, f"http://127.0.0.1:{port}{link}", data_folder)
    finally:
        process.terminate()
        process.wait(timeout=60)


def wait_for_ready(process: subprocess.Popen[bytes], log: Path) -> None:
    while "/signin/" not in log.read_text():
        if process.poll() is not None:
            raise SystemExit(f"The site did not start:\n{log.read_text()}")
        time.sleep(0.1)
