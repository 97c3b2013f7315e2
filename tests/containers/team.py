"""A site of containers with a port and volumes of its own, for the tests here."""

import json
import os
import subprocess
import urllib.request
import uuid
from pathlib import Path

from tests.processes import ROOT, unused_port, wait_until


class Team:
    """One compose project."""

    def __init__(self, workers: int) -> None:
        self.workers, self.port, self.key = workers, unused_port(), ""
        self.file = ROOT / "docker-compose.yml"
        self.env = os.environ | {
            "COMPOSE_PROJECT_NAME": f"evalsite-test-{uuid.uuid4().hex[:8]}",
            "EVALSITE_SECRET_KEY": uuid.uuid4().hex * 3,
            "EVALSITE_URL": f"http://localhost:{self.port}",
            "PORT": str(self.port),
        }

    def compose(self, *arguments: str) -> str:
        result = self.run(*arguments)
        if result.returncode:
            logs = self.run("logs", "--no-color", "--tail", "20").stdout
            raise AssertionError(f"{result.stdout}{result.stderr}{logs}")
        return result.stdout

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [*_compose(), "--file", str(self.file), *arguments]
        return subprocess.run(command, cwd=ROOT, env=self.env, capture_output=True, text=True, timeout=1800)

    def start(self) -> None:
        """Start all services and wait until they are healthy."""
        self.compose("up", "--detach", "--no-build", "--scale", f"worker={self.workers}")
        wait_until(self.is_healthy, "all services are healthy", seconds=900)

    def is_healthy(self) -> bool:
        containers = self.compose("ps", "--quiet", "web", "worker", "postgres", "redis").split()
        states = docker("inspect", "--format", "{{.State.Health.Status}}", *containers).split()
        return set(states) == {"healthy"}

    def manage(self, *arguments: str) -> str:
        return self.compose("exec", "-T", "web", "python", "manage.py", *arguments)

    def make_key(self) -> None:
        create = ("apikey", "create", "--project", "default", "--name", "t", "--scope", "write")
        self.key = self.manage(*create).split()[-1]

    def call(self, path: str, body: object = None) -> dict:
        request = urllib.request.Request(
            f"http://localhost:{self.port}/api/v1/{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)

    def end(self) -> None:
        self.compose("down", "--volumes", "--remove-orphans")


def _compose() -> list[str]:
    plugin = subprocess.run(["docker", "compose", "version"], capture_output=True).returncode == 0
    return ["docker", "compose"] if plugin else ["docker-compose"]


def docker_is_there() -> bool:
    try:
        return subprocess.run(["docker", "info"], capture_output=True, timeout=30).returncode == 0
    except OSError:
        return False


def docker(*arguments: str) -> str:
    return subprocess.run(
        ["docker", *arguments], check=True, capture_output=True, text=True, timeout=120
    ).stdout


def build(folder: Path, image: str) -> None:
    """Build an image, with the network of the host where DOCKER_BUILD_NETWORK says so."""
    network = os.environ.get("DOCKER_BUILD_NETWORK", "default")
    command = ["docker", "build", "--network", network, "--tag", image, str(folder)]
    subprocess.run(command, check=True, timeout=3600)
