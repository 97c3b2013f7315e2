"""The kind `checks`: promptfoo's own results, and lists that cannot be used."""

import json
from pathlib import Path

import numpy as np
import pytest

from evaluations.kinds import Status

# What promptfoo 0.123.1 gave for random lists of its deterministic assertions on difficult outputs.
RESULTS = Path(__file__).parents[1] / "data" / "other_tools" / "promptfoo_checks.jsonl"
LINES = [json.loads(line) for line in RESULTS.read_text(encoding="utf-8").splitlines()]


def test_scores_and_verdicts_are_those_of_promptfoo(evaluate):
    for line in LINES:
        config = {"threshold": line["threshold"]} if "threshold" in line else {}
        scores = evaluate("checks", [(line["output"], line["expected"])], **config)

        assert scores.values.tolist() == [pytest.approx(line["value"], abs=1e-9)], line
        assert scores.passed.tolist() == [line["passed"]], line


@pytest.mark.parametrize(
    ("checks", "code"),
    [
        ("contains yes", "invalid_check"),
        ([["contains", "yes"]], "invalid_check"),
        ([{"type": "regex", "value": "("}], "invalid_check"),
        ([{"type": "is-json", "value": {"$ref": "http://example.org/"}}], "invalid_check"),
        ([{"type": "word-count", "value": "many"}], "invalid_check"),
        ([{"type": "contains", "value": "a", "weight": -1}], "invalid_check"),
        ([{"type": "llm-rubric", "value": "polite"}], "unknown_check"),
    ],
)
def test_a_check_that_cannot_be_used_is_an_error_of_its_row_only(evaluate, checks, code):
    scores = evaluate("checks", [("1", checks), ("1", [{"type": "equals", "value": "1"}])])

    assert scores.status.tolist() == [Status.ERROR, Status.SCORED]
    assert scores.messages[0].startswith(f"{code}: ")
    assert np.isnan(scores.values[0])


def test_the_explanation_lists_every_check(explain):
    checks = [{"type": "contains", "value": "y"}, {"type": "not-contains", "value": "e"}]

    detail = explain("checks", "yes", checks)

    assert [(check["type"], check["passed"]) for check in detail["checks"]] == [
        ("contains", True),
        ("not-contains", False),
    ]
    assert detail["formula"] == "1 of 2 checks pass: 0.5000"
