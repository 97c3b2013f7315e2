"""Data of the first version survives, with scores and keys, when the present image starts on its volumes."""

import subprocess
from pathlib import Path

import pytest

from tests.containers import sums
from tests.containers.team import Team, build, docker_is_there
from tests.processes import ROOT

# The first one whose web service starts; it has the tables of the first image there was.
FIRST = "914c592d471992aa25e68a906a1d20893c879e96"


def git(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True)


pytestmark = [
    pytest.mark.containers,
    pytest.mark.skipif(not docker_is_there(), reason="Docker is not there"),
    pytest.mark.skipif(
        git("cat-file", "-e", f"{FIRST}^{{commit}}").returncode != 0, reason="the history is not there"
    ),
]


@pytest.fixture
def first_version(tmp_path: Path) -> Path:
    """A folder with the first version, and its image `evalsite-first`."""
    archive = subprocess.run(["git", "archive", FIRST], cwd=ROOT, capture_output=True, check=True)
    subprocess.run(["tar", "--extract", "--directory", str(tmp_path)], input=archive.stdout, check=True)
    build(tmp_path, "evalsite-first")
    compose = tmp_path / "docker-compose.yml"
    compose.write_text(compose.read_text().replace("image: evalsite", "image: evalsite-first"))
    return tmp_path


def test_an_upgrade_keeps_data_scores_and_keys(team, first_version):
    today, team.workers = team.file, 1
    team.file = first_version / "docker-compose.yml"
    team.start()
    team.make_key()
    experiment = sums.upload(team)
    run = sums.begin_run(team, experiment, "v1")
    sums.wait_for_scores(team, run)
    before = contents(team, experiment, run)
    team.compose("down")

    team.file = today
    team.start()

    assert contents(team, experiment, run) == before
    assert before["mean"] == sums.MEAN
    assert "[ ]" not in team.manage("showmigrations", "evaluations")
    verified = team.call(f"{run}verify/", {})
    assert [(e["examples"], e["drifted"]) for e in verified["evaluators"]] == [(sums.ROWS, 0)]
    second = sums.begin_run(team, experiment, "v2")
    sums.wait_for_scores(team, second)
    assert team.call(second)["scorings"][0]["mean"] == before["mean"]


def contents(team: Team, experiment: dict, run: str) -> dict:
    """The dataset and the run as the running version of Evalsite returns them."""
    [scoring] = team.call(run)["scorings"]
    examples = team.call(f"datasets/{experiment['dataset']}/examples/")["results"]
    results = team.call(f"{run}results/")["results"]
    return {
        "examples": [(row["key"], row["inputs"], row["reference"]) for row in examples],
        "scores": [(row["key"], row["output"], row["scores"]["last number"]["value"]) for row in results],
        "mean": scoring["mean"],
        "scored": scoring["counts"]["scored"],
    }
