"""Calls that schemathesis generates from the schema, to a real server: none breaks it, every answer is described.

`make contract` makes thousands, and others every time unless SEED is given.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest

from evaluations.access import api_keys
from evaluations.experiments import samples
from evaluations.models import Scope
from evaluations.scoring import scoring
from tests import processes

ROOT = Path(__file__).parents[2]  # With schemathesis.toml, which says what is expected.


@pytest.fixture
def server(transactional_db, tmp_path, unused_port) -> str:
    """The address of a web process on the database of the test."""
    running = processes.web(tmp_path / "web.log", unused_port, EVALSITE_API_RATE="0")
    yield f"http://127.0.0.1:{unused_port}"
    running.end()


@pytest.fixture
def key(transactional_db, project, alice) -> str:
    """A write key of a project with the scored sample; an admin key could revoke itself."""
    samples.load(project, alice)
    while scoring.work(seconds=10):
        pass
    return api_keys.create_key(project, alice, "schemathesis", Scope.WRITE)[1]


def _authorized(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def calls(server: str, key: str, folder: Path, *options: str) -> dict[str, Any]:
    """The report of schemathesis; its output has a curl command for each fault."""
    report, schema = folder / "report.json", folder / "schema.yaml"
    # Schemathesis itself waits ten seconds for it, which is little for a busy machine.
    answer = httpx2.get(f"{server}/api/schema/", headers=_authorized(key), timeout=120)
    schema.write_bytes(answer.raise_for_status().content)
    program = str(Path(sys.executable).with_name("schemathesis"))
    command = [program, "--no-color", "run", str(schema), "--url", server]
    result = subprocess.run(
        [
            *command,
            *("--header", ": ".join(*_authorized(key).items())),
            *("--checks", "all"),
            "--continue-on-failure",
            *("--generation-database", "none"),
            *("--request-timeout", "60"),
            *("--report", "json", "--report-json-path", str(report)),
            *options,
        ],
        cwd=ROOT,
    )
    assert result.returncode == 0
    return json.loads(report.read_text())


@pytest.mark.processes
def test_some_calls_are_answered_as_described(server, key, tmp_path):
    report = calls(
        server, key, tmp_path, "--seed", "1", "--max-examples", "2", "--phases", "fuzzing,stateful"
    )

    assert report["operations"]["tested"] == report["operations"]["total"]


@pytest.mark.contract
def test_thousands_of_calls_are_answered_as_described(server, key, tmp_path):
    seed = ("--seed", os.environ["SEED"]) if os.environ.get("SEED") else ()
    report = calls(server, key, tmp_path, *seed, "--max-examples", os.environ.get("EXAMPLES", "60"))

    assert report["test_cases"]["generated"] >= 5_000
