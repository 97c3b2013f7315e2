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
CASES = [
    pytest.param(path.stem, json.loads(line), id=f"{path.stem}-{number}")
    for path in sorted(FOLDER.glob("*.jsonl"))
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
]


def side(case, name):
    value = case[name]
    return value * case[f"{name}_times"] if f"{name}_times" in case else value


@pytest.mark.parametrize(("key", "case"), CASES)
def test_a_telling_case_has_the_result_that_was_found_elsewhere(key, case):
    kind = kinds.get(key)

    scores = kind.evaluate(
        kind.parse(case["config"]),
        {name: Column([side(case, name)]) for name in ("actual", "expected")},
    )

    assert Status(scores.status[0]).word == case.get("status", "scored")
    if case.get("value") is not None:
        assert scores.values[0] == pytest.approx(case["value"], abs=1e-9)
    elif "value" in case:
        assert np.isnan(scores.values[0])
    if "passed" in case:
        assert scores.passed[0] == case["passed"]
    if "truncated" in case:
        assert scores.truncated == case["truncated"]
