"""A dataset with known scores: arithmetic word problems as in GSM8K, of which every third answer is wrong."""

import pytest

from tests.containers.team import Team
from tests.processes import wait_until

ROWS = 2_000
MEAN = pytest.approx(1_333 / ROWS)  # 667 of the numbers from 0 to 1 999 are divisible by 3.


def upload(team: Team) -> dict:
    """Upload a dataset with an experiment; returns the experiment."""
    examples = [
        {
            "key": str(n),
            "inputs": {"question": f"Ann has {n} apples and buys {n % 7} more. How many has she?"},
            "reference": str(n + n % 7),
        }
        for n in range(ROWS)
    ]
    dataset = team.call("datasets/", {"name": "Sums", "examples": examples})
    evaluator = team.call("evaluators/", {"name": "last number", "kind": "numeric_match", "config": {}})
    return team.call(
        "experiments/", {"name": "Sums", "dataset": dataset["id"], "evaluators": [evaluator["id"]]}
    )


def begin_run(team: Team, experiment: dict, variant: str) -> str:
    """Start a run; returns its address."""
    run = team.call("runs/", {"experiment": experiment["id"], "variant": variant, "start": False})
    path = f"runs/{run['id']}/"
    outputs = [{"key": str(n), "output": f"She has #### {n + n % 7 + (n % 3 == 0)}"} for n in range(ROWS)]
    team.call(f"{path}outputs/", {"outputs": outputs})
    team.call(f"{path}start/", {})
    return path


def wait_for_scores(team: Team, path: str) -> None:
    wait_until(lambda: team.call(path)["status"] == "completed", "the run is scored", seconds=600)
