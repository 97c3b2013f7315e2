"""A selection of golden cases that always runs: results of products (ids name the product), and cases computed by hand.

A side with `…_times` is repeated that often. `value` null means no score; without `passed` it is not checked.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from evaluations import kinds
from evaluations.kinds import Column, Status

FOLDER = Path(__file__).parents[1] / "data" / "golden"
FILES = sorted(FOLDER.glob("*.jsonl"))


def side(case, name):
    value = case[name]
    return value * case[f"{name}_times"] if f"{name}_times" in case else value


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_telling_cases_have_the_results_that_were_found_elsewhere(path):
    kind = kinds.get(path.stem)
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        check(kind, json.loads(line), f"line {number}")


def check(kind, case, line):
    scores = kind.evaluate(
        kind.parse(case["config"]),
        {name: Column([side(case, name)]) for name in ("actual", "expected")},
    )

    assert Status(scores.status[0]).word == case.get("status", "scored"), line
    if case.get("value") is not None:
        assert scores.values[0] == pytest.approx(case["value"], abs=1e-9), line
    elif "value" in case:
        assert np.isnan(scores.values[0]), line
    if "passed" in case:
        assert scores.passed[0] == case["passed"], line
    if "truncated" in case:
        assert scores.truncated == case["truncated"], line
