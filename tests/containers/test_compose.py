"""docker-compose.yml as a team runs it: built, started, harmed and started again. Run with `pytest -m containers`.

With EVALSITE_IMAGE_IS_BUILT=1 the image `evalsite` that exists is used.
"""

import json
import os
import subprocess
import time
import urllib.request
import uuid
from collections.abc import Iterator

import pytest

from tests.processes import ROOT, unused_port, wait_until

ROWS = 2_000


def is_there() -> bool:
    try:
        return subprocess.run(["docker", "info"], capture_output=True, timeout=30).returncode == 0
    except OSError:
        return False


pytestmark = [pytest.mark.containers, pytest.mark.skipif(not is_there(), reason="Docker is not there")]


class Team:
    """One compose project with a port and volumes of its own."""

    def __init__(self) -> None:
        self.port = unused_port()
        self.env = os.environ | {
            "COMPOSE_PROJECT_NAME": f"evalsite-test-{uuid.uuid4().hex[:8]}",
            "EVALSITE_SECRET_KEY": uuid.uuid4().hex * 3,
            "EVALSITE_URL": f"http://localhost:{self.port}",
            "PORT": str(self.port),
        }
        self.key = ""

    def compose(self, *arguments: str) -> str:
        command = [*_compose(), *arguments]
        result = subprocess.run(command, cwd=ROOT, env=self.env, capture_output=True, text=True, timeout=1200)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    def start(self) -> float:
        """Seconds until every service is healthy."""
        began = time.monotonic()
        self.compose("up", "--detach", "--no-build", "--scale", "worker=3")
        wait_until(self.is_healthy, "all services are healthy", seconds=300)
        return time.monotonic() - began

    def is_healthy(self) -> bool:
        containers = self.compose("ps", "--quiet", "web", "worker", "postgres", "redis").split()
        states = docker("inspect", "--format", "{{.State.Health.Status}}", *containers).split()
        return set(states) == {"healthy"}

    def call(self, path: str, body: object = None) -> dict:
        request = urllib.request.Request(
            f"http://localhost:{self.port}/api/v1/{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)


def _compose() -> list[str]:
    plugin = subprocess.run(["docker", "compose", "version"], capture_output=True).returncode == 0
    return ["docker", "compose"] if plugin else ["docker-compose"]


def docker(*arguments: str) -> str:
    return subprocess.run(
        ["docker", *arguments], check=True, capture_output=True, text=True, timeout=120
    ).stdout


@pytest.fixture(scope="module")
def team() -> Iterator[Team]:
    team = Team()
    if not os.environ.get("EVALSITE_IMAGE_IS_BUILT"):
        team.compose("build")
    try:
        seconds = team.start()
        size = int(docker("image", "inspect", "--format", "{{.Size}}", "evalsite")) // 1_000_000
        print(f"healthy after {seconds:.0f} s; the image has {size} MB")  # noqa: T201  # Shown by `pytest -rP`.
        create = ["python", "manage.py", "apikey", "create", "--project", "default", "--name", "t"]
        team.key = team.compose("exec", "-T", "web", *create, "--scope", "write").split()[-1]
        yield team
    finally:
        team.compose("down", "--volumes", "--remove-orphans")


def arithmetic() -> list[dict]:
    """Sums in words, as in GSM8K; every third answer is wrong."""
    return [
        {
            "key": str(n),
            "question": f"Ann has {n} apples and buys {n % 7} more. How many has she?",
            "answer": str(n + n % 7),
            "output": f"She has {n + n % 7 + (n % 3 == 0)} apples. #### {n + n % 7 + (n % 3 == 0)}",
        }
        for n in range(ROWS)
    ]


def test_a_team_scores_with_three_workers_loses_one_and_finds_its_data_after_a_restart(team):
    rows = arithmetic()
    dataset = team.call("datasets/", {"name": "Sums", "examples": [_example(row) for row in rows]})
    evaluator = team.call("evaluators/", {"name": "last number", "kind": "numeric_match", "config": {}})
    experiment = team.call(
        "experiments/", {"name": "Sums", "dataset": dataset["id"], "evaluators": [evaluator["id"]]}
    )
    run = team.call("runs/", {"experiment": experiment["id"], "variant": "v1", "start": False})
    outputs = [{"key": row["key"], "output": row["output"]} for row in rows]
    team.call(f"runs/{run['id']}/outputs/", {"outputs": outputs})
    team.call(f"runs/{run['id']}/start/", {})
    docker("kill", team.compose("ps", "--quiet", "worker").split()[0])
    wait_until(
        lambda: team.call(f"runs/{run['id']}/")["status"] == "completed", "the run is scored", seconds=180
    )
    before = team.call(f"runs/{run['id']}/results/")["results"]

    team.compose("down")
    team.start()

    assert team.call(f"runs/{run['id']}/results/")["results"] == before
    [scoring] = team.call(f"runs/{run['id']}/")["scorings"]
    assert scoring["counts"]["scored"] == ROWS
    assert scoring["mean"] == pytest.approx(
        1_333 / ROWS
    )  # 667 of the numbers from 0 to 1 999 are divisible by 3.


def _example(row: dict) -> dict:
    return {"key": row["key"], "inputs": {"question": row["question"]}, "reference": row["answer"]}
